package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	pageSize  = 100 // resources in one page of the list
	pageReads = 10  // pages of files that are looked at for one page of the list: a session may have any number that cannot be read
)

// resources stands before the SDK's methods of resources: the list is the session's as it is now, where the SDK's is what was registered, and
// what is no address goes to the host all the same, where the SDK would answer for itself.
func (d *door) resources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "resources/list":
			cursor := ""
			if params, ok := req.GetParams().(*mcp.ListResourcesParams); ok && params != nil {
				cursor = params.Cursor
			}
			return d.listResources(ctx, cursor)
		case "resources/read":
			params, ok := req.GetParams().(*mcp.ReadResourceParams)
			session, okToo := req.GetSession().(*mcp.ServerSession)
			if !ok || !okToo || params == nil {
				break
			}
			if _, err := readapi.ParseURIPrefix(d.prefix, params.URI); err != nil { // the host refuses it, and tells its audit
				return d.readResource(ctx, &mcp.ReadResourceRequest{Session: session, Params: params, Extra: req.GetExtra()})
			}
		}
		return next(ctx, method, req)
	}
}

// listResources lists the files that can be read now, in order of arrival. A page may be short, and empty with a cursor, where many cannot.
func (d *door) listResources(ctx context.Context, cursor string) (mcp.Result, error) {
	out := &mcp.ListResourcesResult{Cacheable: private(), Resources: []*mcp.Resource{}}
	for range pageReads {
		page, next, err := d.session.Attachments(ctx, cursor, pageSize-len(out.Resources))
		if err != nil {
			return nil, rpcError(err, "", false)
		}
		for _, a := range page {
			if a.Resource != "" {
				out.Resources = append(out.Resources, resource(a))
			}
		}
		cursor = next
		if next == "" || len(out.Resources) >= pageSize {
			break
		}
	}
	out.NextCursor = cursor
	return out, nil
}

// resource describes a file. Its media type is the file's; what a read gives says its own.
func resource(a readapi.Attachment) *mcp.Resource {
	r := &mcp.Resource{URI: a.Resource, Name: readapi.EscapeLine(a.Name), MIMEType: string(a.MediaType), Size: a.Bytes}
	if !a.Created.IsZero() {
		r.Annotations = &mcp.Annotations{LastModified: a.Created.UTC().Format(time.RFC3339)}
	}
	return r
}

// readResource gives a file decoded: its text in one item, each picture in one of its own. A file that is longer than the budget ends
// with an item that says so, and its _meta has the cursor, which a client that wants more sends in the _meta of its next request.
func (d *door) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	revised := req.Params.Meta[mcp.MetaKeyProtocolVersion] != nil // revisions from 2026-07-28 on name themselves in every request
	cursor, isText := req.Params.Meta[metaCursor].(string)
	if req.Params.Meta[metaCursor] != nil && !isText {
		return nil, rpcError(&readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "the cursor is not a string"}, req.Params.URI, revised)
	}
	var out *mcp.ReadResourceResult
	err := withProgress(ctx, req.Session, req.Params.GetProgressToken(), func(ctx context.Context) (err error) {
		out, err = d.contents(ctx, req.Params.URI, cursor)
		return err
	})
	if err != nil {
		return nil, rpcError(err, req.Params.URI, revised)
	}
	return out, nil
}

func (d *door) contents(ctx context.Context, uri, cursor string) (*mcp.ReadResourceResult, error) {
	c, err := d.tools.Content(ctx, uri, cursor)
	if err != nil {
		return nil, err
	}
	if err := fits(c.Text, c.Images); err != nil {
		return nil, err
	}
	doc := c.Document
	where := whereabouts{Unit: doc.Unit, Total: doc.Total, AtLeast: doc.AtLeast, Covers: doc.Covers}
	if doc.Next != "" {
		where.Next = &doc.Next
	}
	out := &mcp.ReadResourceResult{Cacheable: private(), Meta: mcp.Meta{metaKey: where}}
	if c.Text != "" && len(c.Images) < len(doc.Parts) { // not where all text is the lines that announce pictures
		out.Contents = append(out.Contents, &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: c.Text})
	}
	for _, img := range c.Images {
		out.Contents = append(out.Contents, &mcp.ResourceContents{URI: uri, MIMEType: string(img.MediaType), Blob: img.Bytes})
	}
	if len(out.Contents) == 0 { // an empty text: the SDK leaves an empty Text out, and an item with neither is none
		out.Contents = append(out.Contents, &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Blob: []byte{}})
	}
	if doc.Next != "" {
		out.Contents = append(out.Contents, &mcp.ResourceContents{
			URI: uri, MIMEType: "text/plain", Text: "[The file goes on behind this. read_attachment with this uri and cursor " + doc.Next + " reads on.]\n",
		})
	}
	return out, nil
}

// The codes of JSON-RPC errors that the SDK does not name.
const (
	rpcNotFound = -32002 // a resource that is not there, until revision 2025-11-25; since then it is invalid params
	rpcFailed   = -32000 // what else a server cannot do
)

// rpcError is err as an error of the protocol: the code of the protocol, our sentence, and our own shape as data.
func rpcError(err error, uri string, revised bool) *jsonrpc.Error {
	e := asError(err)
	out := &jsonrpc.Error{Code: rpcFailed, Message: e.Message()}
	switch e.Code {
	case readapi.CodeNotFound, readapi.CodeGone:
		out.Code = rpcNotFound
		if revised {
			out.Code = jsonrpc.CodeInvalidParams
		}
	case readapi.CodeInvalidURI, readapi.CodeInvalidRequest, readapi.CodeStaleCursor:
		out.Code = jsonrpc.CodeInvalidParams
	case readapi.CodeInternal:
		out.Code = jsonrpc.CodeInternalError
	}
	data, err := json.Marshal(struct {
		URI   string         `json:"uri,omitempty"`
		Error *readapi.Error `json:"error"`
	}{uri, e})
	if err == nil {
		out.Data = data
	}
	return out
}
