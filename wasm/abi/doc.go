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
// they do not know. A decode must send KindEnd or KindError: silence is bad_output.
package abi
