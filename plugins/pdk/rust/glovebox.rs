//! ABI version 1 of glovebox decoders, for Rust. One file, no crates, no imports but those of the ABI; `core` and `alloc` only.
//!
//! A decoder says what it is and has one function:
//!
//! ```ignore
//! #[path = "glovebox.rs"]
//! mod glovebox;
//! use glovebox::{Call, Decoder, Fail};
//!
//! fn decode(c: &mut Call) -> Result<(), Fail> {
//!     let data = c.input_all()?;
//!     let text = core::str::from_utf8(&data).map_err(|_| Fail::malformed("this is not UTF-8"))?;
//!     for at in c.units(1)? {
//!         c.text(at, text)?;
//!     }
//!     Ok(())
//! }
//!
//! glovebox::decoder!(Decoder { name: "all", version: "1.0.0", media_types: &["text/plain"], unit: "file", forms: &[], children: false, samples: &[], decode });
//! ```
//!
//! ```text
//! rustc --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -O -C strip=symbols -o all.wasm all.rs
//! ```
//!
//! What ends a decode well ([`Fail::Full`], [`Fail::Stop`]) is an error value too: pass it on with `?`. A panic is a trap; the host says
//! decoder_trap and throws the instance away. Text is given as it is in the file's own characters; the host escapes what is hidden in
//! it. A detail is the decoder's own words, never text from a file.
#![allow(dead_code)]

extern crate alloc;

use alloc::{format, string::String, vec, vec::Vec};

/// The functions that the host gives a guest.
mod host {
    #[link(wasm_import_module = "glovebox")]
    extern "C" {
        pub fn request_len() -> u32;
        pub fn request_read(ptr: *mut u8);
        pub fn input_len() -> i64;
        pub fn input_read(off: i64, ptr: *mut u8, len: u32) -> i32;
        pub fn emit(kind: u32, ptr: *const u8, len: u32) -> u32;
        pub fn log(level: u32, ptr: *const u8, len: u32);
    }
}

/// What a decoder says of itself, and its function.
pub struct Decoder {
    pub name: &'static str,
    pub version: &'static str,
    pub media_types: &'static [&'static str], // canonical, exact
    pub unit: &'static str,
    pub forms: &'static [&'static str], // without "auto", which every decoder has
    pub children: bool,
    pub samples: &'static [(&'static str, &'static [u8])], // media type and bytes of small valid inputs
    pub decode: fn(&mut Call) -> Result<(), Fail>,
}

/// Export a decoder; once in a module. Its argument is an expression of type [`Decoder`].
#[macro_export]
macro_rules! glovebox_decoder {
    ($d:expr) => {
        static GLOVEBOX_DECODER: $crate::glovebox::Decoder = $d;
        #[no_mangle]
        pub extern "C" fn glovebox_abi() -> i32 { 1 }
        #[no_mangle]
        pub extern "C" fn glovebox_describe() -> i32 { $crate::glovebox::describe(&GLOVEBOX_DECODER) }
        #[no_mangle]
        pub extern "C" fn glovebox_decode() -> i32 { $crate::glovebox::decode(&GLOVEBOX_DECODER) }
    };
}
pub use glovebox_decoder as decoder;

/// Why a decode ends before its end.
#[derive(Clone, Debug)]
pub enum Fail {
    Full, // the answer has all that it may hold: it ends well, the next one goes on from here
    Stop, // the host has enough
    Error { code: &'static str, detail: String, limit: Option<(&'static str, i64, i64)> }, // limit: name, value, what the file asks for
}

impl Fail {
    /// An error with a code that a guest may report.
    pub fn new(code: &'static str, detail: &str) -> Fail { Fail::Error { code, detail: String::from(detail), limit: None } }
    /// The bytes are damaged or not what their type says.
    pub fn malformed(detail: &str) -> Fail { Fail::new("malformed_input", detail) }
    /// The request names something that this file does not have.
    pub fn invalid(detail: &str) -> Fail { Fail::new("invalid_request", detail) }
    /// A variant that the decoder knows but does not decode.
    pub fn unsupported(feature: &str) -> Fail { Fail::new("unsupported_feature", feature) }
    /// The file opens only with a password.
    pub fn encrypted(detail: &str) -> Fail { Fail::new("encrypted", detail) }
    /// A limit_* code, the limit's name as in the request's JSON, its value and what the file asks for.
    pub fn over(code: &'static str, limit: &'static str, value: i64, actual: i64) -> Fail {
        Fail::Error { code, detail: String::new(), limit: Some((limit, value, actual)) }
    }
}

/// The request, as readapi.Request documents it. Absent numbers are 0, absent strings are empty.
#[derive(Default, Debug)]
pub struct Request {
    pub v: i64,
    pub media_type: String,
    pub name: String,
    pub form: String,
    pub units: Vec<(i64, i64)>, // from, to; to 0: to the end
    pub start: Position,
    pub child: Vec<i64>, // the file inside the file to hand on with Call::file, as the whole answer; one number
    pub password: String,
    pub max_tokens: i64,
    pub max_bytes: i64,
    pub max_file_bytes: i64,
    pub unescaped: bool,
    pub max_pixels: i64,
    pub max_side: i64,
    pub max_frames: i64,
    pub max_total_pixels: i64,
    pub max_edge: i64,
}

/// A place in a document; at 0 is none.
#[derive(Default, Clone, Copy, Debug)]
pub struct Position {
    pub at: i64,
    pub part: i64,
    pub offset: i64,
}

impl Request {
    /// Read the request's JSON. Keys that are not known are passed over. None: it is no request.
    pub fn parse(json: &[u8]) -> Option<Request> {
        let mut j = Json { s: json, i: 0 };
        let mut q = Request::default();
        j.object(&mut |j, key| {
            match key {
                "v" => q.v = j.int()?,
                "media_type" => q.media_type = j.string()?,
                "name" => q.name = j.string()?,
                "form" => q.form = j.string()?,
                "units" => j.array(&mut |j| {
                    let mut r = (0, 0);
                    j.object(&mut |j, key| {
                        match key {
                            "from" => r.0 = j.int()?,
                            "to" => r.1 = j.int()?,
                            _ => j.skip(0)?,
                        }
                        Some(())
                    })?;
                    q.units.push(r);
                    Some(())
                })?,
                "start" => j.object(&mut |j, key| {
                    match key {
                        "at" => q.start.at = j.int()?,
                        "part" => q.start.part = j.int()?,
                        "offset" => q.start.offset = j.int()?,
                        _ => j.skip(0)?,
                    }
                    Some(())
                })?,
                "child" => j.array(&mut |j| {
                    q.child.push(j.int()?);
                    Some(())
                })?,
                "max_tokens" => q.max_tokens = j.int()?,
                "max_bytes" => q.max_bytes = j.int()?,
                "max_file_bytes" => q.max_file_bytes = j.int()?,
                "password" => q.password = j.string()?,
                "unescaped" => q.unescaped = j.bool()?,
                "max_pixels" => q.max_pixels = j.int()?,
                "max_side" => q.max_side = j.int()?,
                "max_frames" => q.max_frames = j.int()?,
                "max_total_pixels" => q.max_total_pixels = j.int()?,
                "max_edge" => q.max_edge = j.int()?,
                _ => j.skip(0)?,
            }
            Some(())
        })?;
        j.blank();
        if j.i == json.len() { Some(q) } else { None }
    }

    /// The first selected unit at or behind at.
    pub fn selected(&self, at: i64) -> Option<i64> {
        if self.units.is_empty() {
            return Some(at.max(1));
        }
        self.units.iter().find(|r| r.1 == 0 || r.1 >= at).map(|r| r.0.max(at))
    }

    fn escaped(&self) -> bool { self.form != "source" && !self.unescaped }
}

/// A reader of JSON, as much as a request needs. None is "this is no JSON".
struct Json<'a> {
    s: &'a [u8],
    i: usize,
}

impl<'a> Json<'a> {
    fn peek(&self) -> Option<u8> { self.s.get(self.i).copied() }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.i += 1;
        }
    }

    fn take(&mut self, c: u8) -> bool {
        self.blank();
        let there = self.peek() == Some(c);
        self.i += there as usize;
        there
    }

    fn need(&mut self, c: u8) -> Option<()> { if self.take(c) { Some(()) } else { None } }

    fn int(&mut self) -> Option<i64> {
        self.blank();
        let from = self.i;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.i += 1;
        }
        core::str::from_utf8(&self.s[from..self.i]).ok()?.parse().ok()
    }

    fn bool(&mut self) -> Option<bool> {
        self.blank();
        let yes = self.peek() == Some(b't');
        self.skip(0)?;
        Some(yes)
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.s.get(self.i..self.i + 4)?;
        self.i += 4;
        u32::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
    }

    fn string(&mut self) -> Option<String> {
        self.need(b'"')?;
        let mut out: Vec<u8> = Vec::new();
        loop {
            let c = self.peek()?;
            self.i += 1;
            match c {
                b'"' => return Some(utf8(&out).0),
                b'\\' => {
                    let e = self.peek()?;
                    self.i += 1;
                    let r = match e {
                        b'"' | b'\\' | b'/' => e as u32,
                        b'b' => 8,
                        b'f' => 12,
                        b'n' => 10,
                        b'r' => 13,
                        b't' => 9,
                        b'u' => {
                            let hi = self.hex4()?;
                            let back = self.i;
                            if (0xD800..0xDC00).contains(&hi) && self.s[self.i..].starts_with(b"\\u") {
                                self.i += 2;
                                let lo = self.hex4()?;
                                if (0xDC00..0xE000).contains(&lo) {
                                    0x10000 + ((hi - 0xD800) << 10) + (lo - 0xDC00)
                                } else {
                                    self.i = back;
                                    hi
                                }
                            } else {
                                hi
                            }
                        }
                        _ => return None,
                    };
                    let mut b = [0; 4];
                    out.extend_from_slice(char::from_u32(r).unwrap_or('\u{FFFD}').encode_utf8(&mut b).as_bytes());
                }
                0..=0x1F => return None,
                _ => out.push(c),
            }
        }
    }

    fn array(&mut self, each: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.need(b'[')?;
        if self.take(b']') {
            return Some(());
        }
        loop {
            each(self)?;
            if !self.take(b',') {
                return self.need(b']');
            }
        }
    }

    fn object(&mut self, each: &mut dyn FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.need(b'{')?;
        if self.take(b'}') {
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.need(b':')?;
            each(self, &key)?;
            if !self.take(b',') {
                return self.need(b'}');
            }
        }
    }

    /// Pass over one value of any kind: a key of a later version.
    fn skip(&mut self, depth: u32) -> Option<()> {
        self.blank();
        if depth > 64 {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' => self.object(&mut |j, _| j.skip(depth + 1)),
            b'[' => self.array(&mut |j| j.skip(depth + 1)),
            _ => {
                let from = self.i;
                while matches!(self.peek(), Some(b'0'..=b'9' | b'a'..=b'z' | b'-' | b'+' | b'.' | b'E')) {
                    self.i += 1;
                }
                if self.i > from { Some(()) } else { None }
            }
        }
    }
}

/// s as a string, every byte that is no character as U+FFFD, and how many of these there were.
pub fn utf8(mut s: &[u8]) -> (String, usize) {
    let mut out = String::with_capacity(s.len());
    let mut bad = 0;
    loop {
        match core::str::from_utf8(s) {
            Ok(rest) => {
                out.push_str(rest);
                return (out, bad);
            }
            Err(e) => {
                let (good, rest) = s.split_at(e.valid_up_to());
                out.push_str(core::str::from_utf8(good).unwrap_or(""));
                out.push('\u{FFFD}');
                bad += 1;
                s = &rest[1..];
            }
        }
    }
}

/// A JSON object that is being written.
#[derive(Default)]
pub struct Object(String);

impl Object {
    pub fn new() -> Object { Object(String::from("{")) }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quote(key));
        self.0.push(':');
    }

    pub fn int(mut self, key: &str, n: i64) -> Object {
        self.key(key);
        self.0.push_str(&format!("{}", n));
        self
    }

    pub fn str(mut self, key: &str, s: &str) -> Object {
        self.key(key);
        self.0.push_str(&quote(s));
        self
    }

    /// A value that is JSON already.
    pub fn raw(mut self, key: &str, json: &str) -> Object {
        self.key(key);
        self.0.push_str(json);
        self
    }

    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// s as a JSON string.
pub fn quote(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 2);
    out.push('"');
    for r in s.chars() {
        match r {
            '"' | '\\' => {
                out.push('\\');
                out.push(r);
            }
            '\0'..='\x1F' => out.push_str(&format!("\\u{:04x}", r as u32)),
            _ => out.push(r),
        }
    }
    out.push('"');
    out
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| quote(w)).collect();
    format!("[{}]", quoted.join(","))
}

/// A line for the host's log: level 0 debug, 1 info, 2 warn, 3 error.
pub fn log(level: u32, line: &str) {
    unsafe { host::log(level, line.as_ptr(), line.len() as u32) }
}

/// Frame kinds.
pub mod kind {
    pub const DESCRIBE: u32 = 1;
    pub const META: u32 = 2;
    pub const TEXT: u32 = 3;
    pub const IMAGE: u32 = 4;
    pub const DATA: u32 = 5;
    pub const WARNING: u32 = 6;
    pub const ERROR: u32 = 7;
    pub const CHILD: u32 = 8;
    pub const END: u32 = 9;
    pub const FILE: u32 = 10;
}

/// One decode: the request, the input, and the answer, which is kept within the request's budget.
#[derive(Default)]
pub struct Call {
    pub req: Request,
    input_len: i64,
    total: i64,
    at_least: bool,
    next: Option<Position>,
    over: Option<Fail>, // what ended the decode
    at: i64,            // the current unit, and part of it
    part: i64,
    tokens: i64, // spent
    bytes: i64,
    parts: i64,  // emitted
    frames: i64, // of parts
    warnings: i64,
    files: i64, // bytes of files that were handed on
}

// What one answer may have: less than the protocol allows, with room for what is still to come.
const MOST_PARTS: i64 = (1 << 16) - 16;
const MOST_WARNINGS: i64 = (1 << 10) - 16;

impl Call {
    /// Bytes of the input.
    pub fn input_len(&self) -> i64 { self.input_len }

    /// Read from off into dst; how many bytes, less than dst holds only at the file's end.
    pub fn input(&mut self, off: i64, dst: &mut [u8]) -> Result<usize, Fail> {
        let mut got = 0;
        while got < dst.len() && off + (got as i64) < self.input_len {
            let want = (dst.len() - got).min(1 << 30);
            let n = unsafe { host::input_read(off + got as i64, dst[got..].as_mut_ptr(), want as u32) };
            if n <= 0 || n as usize > want {
                return Err(self.fail(Fail::malformed("the input cannot be read")));
            }
            got += n as usize;
        }
        Ok(got)
    }

    /// The whole input: for files that are needed whole.
    pub fn input_all(&mut self) -> Result<Vec<u8>, Fail> {
        const MOST: i64 = i32::MAX as i64;
        if self.input_len > MOST {
            return Err(self.fail(Fail::over("limit_memory", "max_memory_bytes", MOST, self.input_len)));
        }
        let mut data = vec![0; self.input_len as usize];
        let n = self.input(0, &mut data)?;
        data.truncate(n);
        Ok(data)
    }

    /// Emit a frame: header is a JSON object, body the raw bytes behind it.
    pub fn emit(&mut self, kind: u32, header: &str, body: &[u8]) -> Result<(), Fail> {
        if let Some(f) = &self.over {
            return Err(f.clone());
        }
        if matches!(kind, kind::TEXT | kind::IMAGE | kind::DATA) {
            self.frames += 1;
        }
        if emit(kind, header, body) { Err(self.fail(Fail::Stop)) } else { Ok(()) }
    }

    /// Facts about the whole file.
    pub fn meta(&mut self, facts: Object) -> Result<(), Fail> { self.emit(kind::META, &facts.end(), &[]) }

    /// A warning; at is its unit, 0 for the file. Behind the first thousand of an answer they are only counted.
    pub fn warn(&mut self, code: &str, detail: &str, at: i64) -> Result<(), Fail> {
        self.warnings += 1;
        if self.warnings > MOST_WARNINGS {
            return Ok(());
        }
        let mut h = Object::new().str("code", code);
        if !detail.is_empty() {
            h = h.str("detail", detail);
        }
        if at != 0 {
            h = h.int("at", at);
        }
        self.emit(kind::WARNING, &h.end(), &[])
    }

    /// List a file inside the file.
    pub fn child(&mut self, n: i64, name: &str, media_type: &str, bytes: i64) -> Result<(), Fail> {
        let h = Object::new().int("n", n).str("name", name).str("media_type", media_type).int("bytes", bytes);
        self.emit(kind::CHILD, &h.end(), &[])
    }

    /// Hand on a file inside the file, to be read by a decoder of its own type: the child that the request names (at 0), or the picture of
    /// unit at, whose parts take its place there. Pictures that do not fit the answer go to the next one. max_file_bytes 0: none is wanted.
    pub fn file(&mut self, at: i64, n: i64, name: &str, media_type: &str, data: &[u8]) -> Result<(), Fail> {
        const TOKENS: i64 = 2000; // readapi.ImageTokens
        const PIECE: usize = 1 << 20;
        let (size, most) = (data.len() as i64, self.req.max_file_bytes);
        if at != 0 {
            if self.begin(at)? {
                return Ok(());
            }
            if self.parts > 0 && (!self.fits(TOKENS, 0) || self.files + size > most) {
                return self.full(0);
            }
            self.spend(TOKENS, 0);
        }
        self.files += size;
        if self.files > most {
            return Err(self.fail(Fail::over("limit_output", "max_file_bytes", most, self.files)));
        }
        let child = Object::new().int("n", n).str("name", name).str("media_type", media_type).int("bytes", size).end();
        let mut rest = data;
        loop {
            let (now, then) = rest.split_at(rest.len().min(PIECE));
            rest = then;
            let mut h = Object::new();
            if at != 0 {
                h = h.int("at", at);
            }
            h = h.raw("child", &child);
            if !rest.is_empty() {
                h = h.raw("more", "true");
            }
            self.emit(kind::FILE, &h.end(), now)?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// How many units the file has; at_least: this is only a lower bound.
    pub fn total(&mut self, n: i64, at_least: bool) {
        self.total = n;
        self.at_least = at_least;
    }

    /// Say that the file has total units; the selected ones come back, from the request's start. A selection beyond total is
    /// invalid_request.
    pub fn units(&mut self, total: i64) -> Result<Vec<i64>, Fail> {
        self.total(total, false);
        if let Some(r) = self.req.units.iter().find(|r| r.0 > total || r.1 > total) {
            let f = Fail::Error {
                code: "invalid_request",
                detail: format!("the last unit of the file is {}", total),
                limit: Some(("units", total, r.0.max(r.1))),
            };
            return Err(self.fail(f));
        }
        if self.req.start.at > total && self.req.start.at > 1 {
            return Err(self.fail(Fail::invalid("the start lies behind the last unit")));
        }
        let mut out = Vec::new();
        let mut at = self.req.start.at.max(1);
        while let Some(unit) = self.req.selected(at) {
            if unit > total {
                break;
            }
            out.push(unit);
            at = unit + 1;
        }
        Ok(out)
    }

    /// The text of unit at. What does not fit the budget goes to the next answer; a unit larger than a whole answer is cut.
    pub fn text(&mut self, at: i64, text: &str) -> Result<(), Fail> {
        if self.begin(at)? {
            return Ok(());
        }
        let start = self.req.start;
        let skip = if start.at == at && start.part == self.part { start.offset } else { 0 };
        if skip < 0 || skip > text.len() as i64 {
            return Err(self.fail(Fail::invalid("the start lies behind the unit's end")));
        }
        if !text.is_char_boundary(skip as usize) {
            return Err(self.fail(Fail::invalid("the start lies inside a character")));
        }
        let text = &text[skip as usize..];
        let (tokens, bytes) = cost(text, self.req.escaped());
        if self.fits(tokens, bytes) {
            return self.put_text(at, skip, text, false);
        }
        if self.parts > 0 {
            return self.full(skip);
        }
        let text = &text[..self.cut(text)];
        self.put_text(at, skip, text, true)?;
        self.full(skip + text.len() as i64)
    }

    fn put_text(&mut self, at: i64, offset: i64, text: &str, cut: bool) -> Result<(), Fail> {
        let (tokens, bytes) = cost(text, self.req.escaped());
        self.spend(tokens, bytes);
        let mut h = Object::new().int("at", at);
        if offset != 0 {
            h = h.int("offset", offset);
        }
        if cut {
            h = h.raw("truncated", "true");
        }
        self.emit(kind::TEXT, &h.end(), text.as_bytes())
    }

    /// A picture of unit at, "image/png" or "image/jpeg". Pictures and data are not cut: one that does not fit goes to the next answer.
    pub fn image(&mut self, at: i64, media_type: &str, width: i64, height: i64, encoded: &[u8]) -> Result<(), Fail> {
        let tokens = ((width + 27) / 28) * ((height + 27) / 28); // readapi.DefaultImageCost; by another formula the host counts
        if self.begin(at)? {
            return Ok(());
        }
        let size = encoded.len() as i64;
        if !self.fits(tokens, size) && self.parts > 0 {
            return self.full(0);
        }
        if self.req.max_bytes > 0 && size > self.req.max_bytes {
            return Err(self.fail(Fail::over("limit_output", "max_bytes", self.req.max_bytes, size)));
        }
        self.spend(tokens, size);
        let h = Object::new().int("at", at).str("media_type", media_type).int("width", width).int("height", height);
        self.emit(kind::IMAGE, &h.end(), encoded)
    }

    /// A structured part of unit at: one JSON value.
    pub fn data(&mut self, at: i64, json: &str) -> Result<(), Fail> {
        if self.begin(at)? {
            return Ok(());
        }
        let (tokens, bytes) = cost(json, false);
        if !self.fits(tokens, bytes) && self.parts > 0 {
            return self.full(0);
        }
        self.spend(tokens, bytes);
        self.emit(kind::DATA, &Object::new().int("at", at).end(), json.as_bytes())
    }

    /// Note what ends the decode; the first one counts.
    fn fail(&mut self, f: Fail) -> Fail { self.over.get_or_insert(f).clone() }

    fn full(&mut self, offset: i64) -> Result<(), Fail> {
        if self.over.is_none() {
            self.next = Some(Position { at: self.at, part: self.part, offset });
        }
        Err(self.fail(Fail::Full))
    }

    /// Count a part of unit at; true: a former answer had it whole.
    fn begin(&mut self, at: i64) -> Result<bool, Fail> {
        if let Some(f) = &self.over {
            return Err(f.clone());
        }
        if at == self.at {
            self.part += 1;
        } else {
            self.at = at;
            self.part = 0;
            if self.parts > 0 && (self.frames >= MOST_PARTS || self.warnings >= MOST_WARNINGS) {
                self.full(0)?;
            }
        }
        Ok(at == self.req.start.at && self.part < self.req.start.part)
    }

    fn fits(&self, tokens: i64, bytes: i64) -> bool {
        (self.req.max_tokens <= 0 || self.tokens + tokens <= self.req.max_tokens) && (self.req.max_bytes <= 0 || self.bytes + bytes <= self.req.max_bytes)
    }

    fn spend(&mut self, tokens: i64, bytes: i64) {
        self.tokens += tokens;
        self.bytes += bytes;
        self.parts += 1;
    }

    /// How much of text fits the whole budget: at least one character, ended behind a blank where there is one near.
    fn cut(&self, text: &str) -> usize {
        const MOST: i64 = i64::MAX / 4;
        let tokens = self.req.max_tokens;
        let mut quarters = if tokens > 0 && tokens < MOST { tokens * 4 } else { MOST * 4 };
        let mut bytes = if self.req.max_bytes > 0 { self.req.max_bytes } else { i64::MAX };
        let mut end = text.len();
        for (i, r) in text.char_indices() {
            let (q, n) = char_cost(r, self.req.escaped());
            quarters -= q;
            bytes -= n;
            if quarters < 0 || bytes < 0 {
                end = i;
                break;
            }
        }
        let near = &text.as_bytes()[end.saturating_sub(256)..end];
        if let Some(i) = near.iter().rposition(|&c| c == b' ' || c == b'\n') {
            return end - near.len() + i + 1;
        }
        while end > 0 && end < text.len() {
            let last = text[..end].chars().next_back().unwrap_or('\0');
            let next = text[end..].chars().next().unwrap_or('\0');
            if !mark(next) && last != '\u{200D}' || last.len_utf8() == end {
                break;
            }
            end -= last.len_utf8();
        }
        if end == 0 { text.chars().next().map_or(0, char::len_utf8) } else { end }
    }

    /// Close the answer with an end or an error frame.
    fn finish(&mut self) {
        let over = self.over.take();
        if let Some(Fail::Stop) = over {
            return;
        }
        if let Some(Fail::Error { code, detail, limit }) = over {
            let mut h = Object::new().str("code", code);
            if !detail.is_empty() {
                h = h.str("detail", &detail);
            }
            if let Some((name, value, actual)) = limit {
                h = h.raw("limit", &Object::new().str("name", name).int("value", value).int("actual", actual).end());
            }
            emit(kind::ERROR, &h.end(), &[]);
            return;
        }
        let left = self.warnings - MOST_WARNINGS;
        if left > 0 {
            self.warnings = 0;
            if self.warn("partial", &format!("{} more warnings are left out", left), 0).is_err() {
                return;
            }
        }
        let mut h = Object::new().int("total", self.total);
        if self.at_least {
            h = h.raw("at_least", "true");
        }
        if let Some(p) = self.next {
            let mut next = Object::new().int("at", p.at);
            if p.part != 0 {
                next = next.int("part", p.part);
            }
            if p.offset != 0 {
                next = next.int("offset", p.offset);
            }
            h = h.raw("next", &next.end());
        }
        emit(kind::END, &h.end(), &[]);
    }
}

/// Emit a frame; true: the host has enough.
fn emit(kind: u32, header: &str, body: &[u8]) -> bool {
    let mut f = Vec::with_capacity(4 + header.len() + body.len());
    f.extend_from_slice(&(header.len() as u32).to_le_bytes());
    f.extend_from_slice(header.as_bytes());
    f.extend_from_slice(body);
    unsafe { host::emit(kind, f.as_ptr(), f.len() as u32) != 0 }
}

/// What the host escapes: controls, bidirectional and invisible format characters, tags.
pub fn hidden(r: char) -> bool {
    matches!(r as u32,
        0..=8 | 0x0B | 0x0C | 0x0E..=0x1F | 0x7F..=0x9F | 0xAD | 0x61C | 0x180E | 0x200B | 0x200C | 0x200E | 0x200F | 0x2028..=0x202E |
        0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB | 0xE0000..=0xE007F | 0xF0000..=0xFFFFD | 0x100000..=0x10FFFD)
}

/// What a character costs as it leaves, in quarters of a token and in bytes.
fn char_cost(r: char, escaped: bool) -> (i64, i64) {
    let v = r as u32;
    if escaped && hidden(r) {
        let digits = ((32 - (v | 1).leading_zeros()) + 3) / 4; // \u{HEX}
        let k = 4 + digits as i64;
        return (k, k);
    }
    (if v < 0x80 { 1 } else if v < 0x800 { 2 } else { 4 }, r.len_utf8() as i64)
}

/// What a text costs, in tokens and in bytes.
fn cost(text: &str, escaped: bool) -> (i64, i64) {
    let (q, n) = text.chars().fold((0, 0), |sum, r| {
        let c = char_cost(r, escaped);
        (sum.0 + c.0, sum.1 + c.1)
    });
    ((q + 3) / 4, n)
}

/// Marks that belong to the character before them: the common blocks. A cut before another mark is not wrong, only less neat.
fn mark(r: char) -> bool {
    matches!(r as u32, 0x300..=0x36F | 0x1AB0..=0x1ACE | 0x1DC0..=0x1DFF | 0x20D0..=0x20F0 | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F | 0x200D)
}

/// What the export glovebox_describe does.
pub fn describe(d: &Decoder) -> i32 {
    let mut body = Vec::new();
    let mut samples = Vec::new();
    for (media_type, data) in d.samples {
        samples.push(Object::new().str("media_type", media_type).int("bytes", data.len() as i64).end());
        body.extend_from_slice(data);
    }
    let h = Object::new()
        .int("abi", 1)
        .str("name", d.name)
        .str("version", d.version)
        .raw("media_types", &list(d.media_types))
        .str("unit", d.unit)
        .raw("forms", &list(d.forms))
        .raw("children", if d.children { "true" } else { "false" })
        .raw("samples", &format!("[{}]", samples.join(",")));
    emit(kind::DESCRIBE, &h.end(), &body) as i32
}

/// What the export glovebox_decode does.
pub fn decode(d: &Decoder) -> i32 {
    let mut raw = vec![0; unsafe { host::request_len() } as usize];
    unsafe { host::request_read(raw.as_mut_ptr()) };
    let req = match Request::parse(&raw) {
        Some(q) => q,
        None => return 1,
    };
    let mut c = Call { req, input_len: unsafe { host::input_len() }, ..Call::default() };
    let has = c.req.form == "auto" || d.forms.contains(&c.req.form.as_str());
    let res = if has && !c.req.child.is_empty() && !d.children {
        Err(Fail::invalid("this decoder lists no files inside a file"))
    } else if has {
        (d.decode)(&mut c)
    } else {
        Err(Fail::invalid(&format!("this decoder does not have the form {}", c.req.form)))
    };
    if let Err(f) = res {
        c.fail(f);
    }
    c.finish();
    0
}
