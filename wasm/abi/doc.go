// Package abi is version 1 of what passes through the wall between the host and a decoder: the names of exports and imports, and the
// codec of frames, for both sides. It compiles to wasip1.
//
// A guest exports
//
//	memory                         its one memory
//	_initialize()                  optional, called once
//	glovebox_abi() i32             the ABI version, 1
//	glovebox_describe() i32        emits one describe frame; 0 when all is well
//	glovebox_decode() i32          reads the request and the input, emits frames; 0 when all is well
//
// and may import from module "glovebox"
//
//	request_len() i32              bytes of the request (JSON, readapi.Request)
//	request_read(ptr i32)          writes the request to ptr
//	input_len() i64                bytes of the input
//	input_read(off i64, ptr i32, len i32) i32
//	                               writes up to len bytes of the input from off to ptr; how many, 0 at the end, -1 when it cannot be read
//	emit(kind i32, ptr i32, len i32) i32
//	                               one frame; non-zero: stop, the host has enough
//	log(level i32, ptr i32, len i32)
//	                               a line for the host's log; level 0 debug, 1 info, 2 warn, 3 error
//
// A frame is its kind (an argument of emit, not part of the bytes) and a payload: a header length (4 bytes, little endian), a JSON
// header, then raw bytes, the body. Only parts and describe frames have a body. Version 1 may gain kinds and keys; both sides skip what
// they do not know. A decode must send KindEnd or KindError: silence is bad_output, and so is a frame behind the last one, and so is a
// result that is not 0, whatever was emitted. (A guest returns something else only when it cannot read the request.)
//
// The request is JSON of a readapi.Request; docs/schema/request.json describes it for other languages. Its numbers are integers below
// 2^63, its strings may have any escape of JSON, a key that is left out is zero, and a key that is not known is passed over. The host asks for
// no form that the description does not name.
//
// Pointers are checked: one outside the memory ends the read as bad_output. The memory that a guest gives to emit and log is its own again
// when they return. Integers of 32 bits are unsigned where they are pointers and lengths.
//
// An answer gives the selected units from Request.Start on, in rising order; a part's at never falls. It ends where a budget ends: max_bytes
// counts the bytes of parts, max_tokens what readapi.EstimateTokens makes of them, and text counts as it leaves, which is longer than it is
// where the host escapes what is hidden in it (readapi.EscapedCost; not in form source and not when unescaped is set). A unit that does not
// fit goes to the next answer, whose Start is what End.Next says. A text that no answer holds is cut between characters, its part is
// truncated and the last of the answer, and Next names the same unit and part with the offset, in bytes, from the beginning of that part's
// whole text; the rest carries that offset in its header. A decoder may show less than all of a unit by its own rule (a very long line): that part
// is truncated too, and other units may follow it. An answer makes progress: at least one character. A unit that the file does
// not have is invalid_request with the limit "units".
//
// plugins/pdk does all of this for Go, plugins/pdk/c/glovebox.h for C and plugins/pdk/rust/glovebox.rs for Rust; docs/abi.md is the page for
// people who write a decoder in another language.
package abi
