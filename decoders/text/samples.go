package text

import "github.com/glovebox-wasm/glovebox/plugins/pdk"

// samples warm the decoder up before its snapshot is taken: the UTF-8 path, and the legacy path with every table of the detection.
var samples = []pdk.Sample{
	{MediaType: "text/plain", Data: []byte("glovebox reads text\nStraße, café, 流水线\n")},
	{MediaType: "text/plain", Data: []byte("\xc1\xf7\xcb\xae\xcf\xdf\xb5\xc4\xc3\xbf\xd2\xbb\xb2\xbd\xb6\xbc\xd0\xb4\xd4\xda\xc8\xd5\xd6\xbe\xc0\xef\xa1\xa3\n")}, // 流水线的每一步都写在日志里。 in GB18030
	{MediaType: "text/html", Data: []byte("<!doctype html><title>glovebox</title><p>reads pages &mdash; &eacute;\n")},                                             // with the table of names
}
