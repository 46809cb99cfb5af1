package object

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cipher"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// crypt decrypts strings and streams by the standard security handler (ISO 32000-2, 7.6): RC4 of 40 to 128 bits, AES of 128 and 256.
type crypt struct {
	key       []byte
	whole     bool    // the file's key is every object's (AES-256)
	plainMeta bool    // metadata streams are not encrypted
	filters   *object // the crypt filters by name, CF
	str, stm  method
	eff       method // of embedded files
	locked    bool   // no password opens what is encrypted, which is not the document itself
}

// method is how a string or a stream is encrypted.
type method uint8

const (
	methodNone method = iota
	methodRC4
	methodAES
	methodUnknown
)

// decrypt sets f up for an encrypted file. Errors: encrypted (neither the empty password nor the one that was given opens it),
// unsupported_feature (an encryption that is not read), malformed_input (the dictionary makes no sense).
func (f *File) decrypt() error {
	if f.crypt != nil {
		return nil
	}
	at := f.direct(f.trailer.key("Encrypt"))
	if at.kind == objNull {
		return nil
	}
	if at.kind != objDict {
		return pdk.Malformed("the encryption dictionary is damaged")
	}
	dict := object{kind: objDict} // with its references followed, as they are not decrypted
	for i := 0; i+1 < len(at.kids); i += 2 {
		dict.kids = append(dict.kids, at.kids[i], *f.direct(&at.kids[i+1]))
	}
	c, err := f.handler(&dict)
	if err != nil {
		return err
	}
	if !c.open(f, &dict) {
		if c.str != methodNone || c.stm != methodNone {
			return f.noPassword()
		}
		c.locked = true // only files inside are encrypted, for whoever opens those (7.6.5, AuthEvent EFOpen)
	}
	f.crypt = c
	f.forget() // what was looked up before is not decrypted
	return nil
}

// noPassword says that what is read is encrypted, and which password it lacks.
func (f *File) noPassword() error {
	if f.password == "" {
		return pdk.Encrypted("it opens only with a password, and none was given")
	}
	return pdk.Encrypted("the password that was given does not open it")
}

// handler reads what the encryption dictionary says of how things are encrypted.
func (f *File) handler(dict *object) (*crypt, error) {
	name, v, r := dict.key("Filter"), small(dict.key("V")), small(dict.key("R"))
	switch {
	case name.kind == objName && !name.isName("Standard"):
		return nil, pdk.Unsupported("encryption by a security handler that is not the standard one")
	case v != 0 && v != 1 && v != 2 && v != 4 && v != 5, r != 0 && (r < 2 || r > 6), v != 0 && v < 4 && r > 4: // the last would be read as it stands
		return nil, pdk.Unsupported("a version of encryption")
	case v == 0 || !dict.locks():
		return nil, pdk.Malformed("the encryption dictionary is damaged")
	}
	meta := dict.key("EncryptMetadata")
	c := &crypt{plainMeta: meta.kind == objBool && meta.num == 0, filters: f.direct(dict.key("CF"))}
	if v < 4 && (r < 4 || dict.key("StmF").kind == objNull) { // crypt filters came with both
		c.str, c.stm, c.eff = methodRC4, methodRC4, methodRC4
		return c, nil
	}
	c.stm, c.str = c.method(f, dict.key("StmF")), c.method(f, dict.key("StrF"))
	if c.eff = c.stm; dict.key("EFF").kind == objName {
		c.eff = c.method(f, dict.key("EFF"))
	}
	if c.stm == methodUnknown || c.str == methodUnknown {
		return nil, pdk.Unsupported("a crypt filter method")
	}
	return c, nil
}

// locks reports whether o has what a password is checked against: a dictionary of the standard handler has at least that.
func (o *object) locks() bool {
	r, user := small(o.key("R")), len(o.key("U").s)
	if r >= 5 {
		return user >= 48
	}
	return r >= 2 && user >= 16 && len(o.key("O").s) >= 32
}

// method returns the method of the crypt filter that name names (7.6.6); Identity is the one of a missing name. A filter that does not say
// its method is damaged: its default, None, leaves it to the handler, and the standard one has no other way.
func (c *crypt) method(f *File, name *object) method {
	if name.kind != objName || name.isName("Identity") {
		return methodNone
	}
	filter := f.direct(c.filters.key(string(name.s)))
	switch string(f.direct(filter.key("CFM")).s) {
	case "V2":
		return methodRC4
	case "AESV2", "AESV3":
		return methodAES
	case "None":
		return methodNone
	}
	return methodUnknown
}

// small returns a small integer, 0 for anything else.
func small(o *object) int {
	n, ok := o.integer()
	if !ok || n < -1<<31 || n > 1<<32 {
		return 0
	}
	return int(n)
}

// bytes decrypts what belongs to an object.
func (c *crypt) bytes(src []byte, num, gen int, m method) []byte {
	switch m {
	case methodRC4:
		return cipher.RC4(c.objectKey(num, gen, false), src)
	case methodAES:
		return cbcOpen(c.objectKey(num, gen, true), src)
	}
	return src
}

// strings decrypts the strings inside an object.
func (c *crypt) strings(o *object, num, gen int) {
	if c.str == methodNone {
		return
	}
	if o.kind == objString {
		o.s = c.bytes(o.s, num, gen, c.str)
	}
	for i := range o.kids {
		c.strings(&o.kids[i], num, gen)
	}
}

// stream decrypts the data of a stream. Cross-reference streams are never encrypted (7.5.8.2). It fails if no password opens it.
func (c *crypt) stream(dict Node, data []byte, num, gen int) ([]byte, error) {
	m := c.stm
	switch dict.Key("Type").Name() {
	case "XRef":
		return data, nil
	case "Metadata":
		if c.plainMeta {
			return data, nil
		}
	case "EmbeddedFile":
		m = c.eff
	}
	if steps := dict.steps(); len(steps) > 0 && steps[0].name == "Crypt" { // its own crypt filter (7.4.10)
		name := steps[0].parm.Key("Name")
		m = methodNone
		if name.Is(Name) {
			m = c.method(dict.f, name.o)
		}
	}
	if c.locked && m != methodNone {
		return nil, dict.f.noPassword()
	}
	return c.bytes(data, num, gen, m), nil
}
