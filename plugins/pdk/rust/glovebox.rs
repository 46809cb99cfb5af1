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

    /// How much of text fits the whole budget: at least one character, ended behind a blank where there is one near, else between
    /// graphemes.
    fn cut(&self, text: &str) -> usize {
        const MOST: i64 = i64::MAX / 4;
        let tokens = self.req.max_tokens;
        let mut quarters = if tokens > 0 && tokens < MOST { tokens * 4 } else { MOST * 4 };
        let mut bytes = if self.req.max_bytes > 0 { self.req.max_bytes } else { i64::MAX };
        let mut end = text.len();
        for (i, r) in text.char_indices() {
            let (q, n) = char_cost(text, i, r, self.req.escaped());
            quarters -= q;
            bytes -= n;
            if quarters < 0 || bytes < 0 {
                end = i;
                break;
            }
        }
        if end == text.len() {
            return end;
        }
        for at in (end.saturating_sub(255)..=end).rev() {
            if at > 0 && matches!(text.as_bytes()[at - 1], b' ' | b'\n') && cut_grapheme(text, at) == at {
                return at;
            }
        }
        match cut_grapheme(text, end) {
            0 if end == 0 => text.chars().next().map_or(0, char::len_utf8),
            0 => end,
            at => at,
        }
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

/// The character before i, NUL at the beginning.
fn before(s: &str, i: usize) -> u32 {
    s[..i].chars().next_back().map_or(0, |r| r as u32)
}

/// Characters above the controls that are not seen.
fn unseen(r: u32) -> bool {
    matches!(r,
        0xAD | 0x61C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB |
        0x1D173..=0x1D17A | 0xE0000..=0xE01EF | 0xF0000..=0xFFFFD | 0x100000..=0x10FFFD)
}

/// What the host escapes where a character stands alone: controls, bidirectional and invisible format characters, tags.
pub fn hidden(r: char) -> bool {
    match r as u32 {
        9 | 10 | 13 | 0x200D => false,
        0..=0x1F | 0x7F..=0x9F => true,
        v => unseen(v),
    }
}

fn ideograph(r: u32) -> bool {
    matches!(r, 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF | 0x3005 | 0x3007)
}

fn emoji(r: u32) -> bool {
    matches!(r, 0x2190..=0x2BFF | 0x1F000..=0x1FAFF | 0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x3030 | 0x303D | 0x3297 | 0x3299)
}

/// Letters of scripts that join: Arabic and its kin, those of India, Mongolian.
fn joining(r: u32) -> bool {
    matches!(r,
        0x620..=0x65F | 0x66E..=0x8FE | 0x900..=0xDFF | 0xF00..=0x109F | 0x1780..=0x17FF | 0x1820..=0x18AF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFE)
}

fn has_variants(r: u32, selector: u32) -> bool {
    if matches!(r, 0x30..=0x39 | 0x23 | 0x2A) {
        return selector == 0xFE0F || selector == 0xFE0E || r == 0x30 && selector == 0xFE00;
    }
    emoji(r) || ideograph(r) || matches!(r,
        0x1000..=0x109F | 0x2010..=0x2027 | 0x2030..=0x205F | 0x2070..=0x218F | 0x3001..=0x3003 | 0xA840..=0xA87F | 0xFF01..=0xFF9F)
}

/// A letter of a right-to-left script stands at the end of s, near, in the line, and nothing hidden behind it.
fn right_to_left(s: &str) -> bool {
    for r in s.chars().rev().take(32) {
        match r as u32 {
            0x5BE..=0x61B | 0x620..=0x8FE | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFE | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF => return true,
            10 | 13 | 0x200D | 0xFFFD | 0xFE00..=0xFE0F => return false,
            _ if hidden(r) => return false,
            _ => {}
        }
    }
    false
}

/// r is the next tag of one of the three flags that are spelt with tags: England, Scotland, Wales.
fn flag_tag(s: &str, r: u32) -> bool {
    let mut spelt = [0u8; 6];
    let mut at = 5;
    spelt[at] = (r & 0x7F) as u8;
    for p in s.chars().rev() {
        let p = p as u32;
        if p == 0x1F3F4 {
            return ["gbeng\x7F", "gbsct\x7F", "gbwls\x7F"].iter().any(|f| f.as_bytes().starts_with(&spelt[at..]));
        }
        if !(0xE0020..=0xE007F).contains(&p) || at == 0 {
            return false;
        }
        at -= 1;
        spelt[at] = (p & 0x7F) as u8;
    }
    false
}

/// What the host escapes of s at i, where r begins. What stands before it decides: a joiner behind a letter that joins, a soft hyphen behind a
/// letter and the like are ordinary. The rules are those of HiddenAt in package readapi.
pub fn hidden_at(s: &str, i: usize, r: char) -> bool {
    let v = r as u32;
    match v {
        0x20..=0x7E | 9 | 10 | 13 => return false,
        12 => return i > 0 && !matches!(s.as_bytes()[i - 1], b'\n' | b'\r'),
        0..=0x9F => return true,
        _ => {}
    }
    let prev = before(s, i);
    match v {
        0xFE00..=0xFE0F => !has_variants(prev, v),
        _ if !unseen(v) => false,
        0xAD => !matches!(prev, 0x41..=0x5A | 0x61..=0x7A | 0xC0..=0x1FFF),
        0x200B => !(matches!(prev, 0xE00..=0x109F | 0x1780..=0x17FF | 0x1950..=0x1AAF | 0x3040..=0x30FF) || ideograph(prev)),
        0x200C => !joining(prev),
        0x200D => !joining(prev) && !emoji(prev) && !(prev == 0xFE0F && emoji(before(s, i - 3))),
        0x200E | 0x200F | 0x61C => !right_to_left(&s[..i]),
        0xE0020..=0xE007F => !flag_tag(&s[..i], v),
        0xE0100..=0xE01EF => !ideograph(prev),
        _ => true,
    }
}

/// What the character r at i costs as it leaves, in quarters of a token and in bytes.
fn char_cost(s: &str, i: usize, r: char, escaped: bool) -> (i64, i64) {
    let v = r as u32;
    if escaped && hidden_at(s, i, r) {
        let digits = ((32 - (v | 1).leading_zeros()) + 3) / 4; // \u{HEX}
        let k = 4 + digits as i64;
        return (k, k);
    }
    (if v < 0x80 { 1 } else if v < 0x800 { 2 } else { 4 }, r.len_utf8() as i64)
}

/// What a text costs, in tokens and in bytes.
fn cost(text: &str, escaped: bool) -> (i64, i64) {
    let (q, n) = text.char_indices().fold((0, 0), |sum, (i, r)| {
        let c = char_cost(text, i, r, escaped);
        (sum.0 + c.0, sum.1 + c.1)
    });
    ((q + 3) / 4, n)
}

/// Marks that belong to the character before them: the general category M of Unicode 15.0, in runs.
const MARKS: &[(u32, u32)] = &[
    (0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7), (0x610, 0x61A),
    (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED), (0x711, 0x711), (0x730, 0x74A),
    (0x7A6, 0x7B0), (0x7EB, 0x7F3), (0x7FD, 0x7FD), (0x816, 0x819), (0x81B, 0x823), (0x825, 0x827), (0x829, 0x82D), (0x859, 0x85B),
    (0x898, 0x89F), (0x8CA, 0x8E1), (0x8E3, 0x903), (0x93A, 0x93C), (0x93E, 0x94F), (0x951, 0x957), (0x962, 0x963), (0x981, 0x983),
    (0x9BC, 0x9BC), (0x9BE, 0x9C4), (0x9C7, 0x9C8), (0x9CB, 0x9CD), (0x9D7, 0x9D7), (0x9E2, 0x9E3), (0x9FE, 0x9FE), (0xA01, 0xA03),
    (0xA3C, 0xA3C), (0xA3E, 0xA42), (0xA47, 0xA48), (0xA4B, 0xA4D), (0xA51, 0xA51), (0xA70, 0xA71), (0xA75, 0xA75), (0xA81, 0xA83),
    (0xABC, 0xABC), (0xABE, 0xAC5), (0xAC7, 0xAC9), (0xACB, 0xACD), (0xAE2, 0xAE3), (0xAFA, 0xAFF), (0xB01, 0xB03), (0xB3C, 0xB3C),
    (0xB3E, 0xB44), (0xB47, 0xB48), (0xB4B, 0xB4D), (0xB55, 0xB57), (0xB62, 0xB63), (0xB82, 0xB82), (0xBBE, 0xBC2), (0xBC6, 0xBC8),
    (0xBCA, 0xBCD), (0xBD7, 0xBD7), (0xC00, 0xC04), (0xC3C, 0xC3C), (0xC3E, 0xC44), (0xC46, 0xC48), (0xC4A, 0xC4D), (0xC55, 0xC56),
    (0xC62, 0xC63), (0xC81, 0xC83), (0xCBC, 0xCBC), (0xCBE, 0xCC4), (0xCC6, 0xCC8), (0xCCA, 0xCCD), (0xCD5, 0xCD6), (0xCE2, 0xCE3),
    (0xCF3, 0xCF3), (0xD00, 0xD03), (0xD3B, 0xD3C), (0xD3E, 0xD44), (0xD46, 0xD48), (0xD4A, 0xD4D), (0xD57, 0xD57), (0xD62, 0xD63),
    (0xD81, 0xD83), (0xDCA, 0xDCA), (0xDCF, 0xDD4), (0xDD6, 0xDD6), (0xDD8, 0xDDF), (0xDF2, 0xDF3), (0xE31, 0xE31), (0xE34, 0xE3A),
    (0xE47, 0xE4E), (0xEB1, 0xEB1), (0xEB4, 0xEBC), (0xEC8, 0xECE), (0xF18, 0xF19), (0xF35, 0xF35), (0xF37, 0xF37), (0xF39, 0xF39),
    (0xF3E, 0xF3F), (0xF71, 0xF84), (0xF86, 0xF87), (0xF8D, 0xF97), (0xF99, 0xFBC), (0xFC6, 0xFC6), (0x102B, 0x103E), (0x1056, 0x1059),
    (0x105E, 0x1060), (0x1062, 0x1064), (0x1067, 0x106D), (0x1071, 0x1074), (0x1082, 0x108D), (0x108F, 0x108F), (0x109A, 0x109D),
    (0x135D, 0x135F), (0x1712, 0x1715), (0x1732, 0x1734), (0x1752, 0x1753), (0x1772, 0x1773), (0x17B4, 0x17D3), (0x17DD, 0x17DD),
    (0x180B, 0x180D), (0x180F, 0x180F), (0x1885, 0x1886), (0x18A9, 0x18A9), (0x1920, 0x192B), (0x1930, 0x193B), (0x1A17, 0x1A1B),
    (0x1A55, 0x1A5E), (0x1A60, 0x1A7C), (0x1A7F, 0x1A7F), (0x1AB0, 0x1ACE), (0x1B00, 0x1B04), (0x1B34, 0x1B44), (0x1B6B, 0x1B73),
    (0x1B80, 0x1B82), (0x1BA1, 0x1BAD), (0x1BE6, 0x1BF3), (0x1C24, 0x1C37), (0x1CD0, 0x1CD2), (0x1CD4, 0x1CE8), (0x1CED, 0x1CED),
    (0x1CF4, 0x1CF4), (0x1CF7, 0x1CF9), (0x1DC0, 0x1DFF), (0x20D0, 0x20F0), (0x2CEF, 0x2CF1), (0x2D7F, 0x2D7F), (0x2DE0, 0x2DFF),
    (0x302A, 0x302F), (0x3099, 0x309A), (0xA66F, 0xA672), (0xA674, 0xA67D), (0xA69E, 0xA69F), (0xA6F0, 0xA6F1), (0xA802, 0xA802),
    (0xA806, 0xA806), (0xA80B, 0xA80B), (0xA823, 0xA827), (0xA82C, 0xA82C), (0xA880, 0xA881), (0xA8B4, 0xA8C5), (0xA8E0, 0xA8F1),
    (0xA8FF, 0xA8FF), (0xA926, 0xA92D), (0xA947, 0xA953), (0xA980, 0xA983), (0xA9B3, 0xA9C0), (0xA9E5, 0xA9E5), (0xAA29, 0xAA36),
    (0xAA43, 0xAA43), (0xAA4C, 0xAA4D), (0xAA7B, 0xAA7D), (0xAAB0, 0xAAB0), (0xAAB2, 0xAAB4), (0xAAB7, 0xAAB8), (0xAABE, 0xAABF),
    (0xAAC1, 0xAAC1), (0xAAEB, 0xAAEF), (0xAAF5, 0xAAF6), (0xABE3, 0xABEA), (0xABEC, 0xABED), (0xFB1E, 0xFB1E), (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F), (0x101FD, 0x101FD), (0x102E0, 0x102E0), (0x10376, 0x1037A), (0x10A01, 0x10A03), (0x10A05, 0x10A06),
    (0x10A0C, 0x10A0F), (0x10A38, 0x10A3A), (0x10A3F, 0x10A3F), (0x10AE5, 0x10AE6), (0x10D24, 0x10D27), (0x10EAB, 0x10EAC),
    (0x10EFD, 0x10EFF), (0x10F46, 0x10F50), (0x10F82, 0x10F85), (0x11000, 0x11002), (0x11038, 0x11046), (0x11070, 0x11070),
    (0x11073, 0x11074), (0x1107F, 0x11082), (0x110B0, 0x110BA), (0x110C2, 0x110C2), (0x11100, 0x11102), (0x11127, 0x11134),
    (0x11145, 0x11146), (0x11173, 0x11173), (0x11180, 0x11182), (0x111B3, 0x111C0), (0x111C9, 0x111CC), (0x111CE, 0x111CF),
    (0x1122C, 0x11237), (0x1123E, 0x1123E), (0x11241, 0x11241), (0x112DF, 0x112EA), (0x11300, 0x11303), (0x1133B, 0x1133C),
    (0x1133E, 0x11344), (0x11347, 0x11348), (0x1134B, 0x1134D), (0x11357, 0x11357), (0x11362, 0x11363), (0x11366, 0x1136C),
    (0x11370, 0x11374), (0x11435, 0x11446), (0x1145E, 0x1145E), (0x114B0, 0x114C3), (0x115AF, 0x115B5), (0x115B8, 0x115C0),
    (0x115DC, 0x115DD), (0x11630, 0x11640), (0x116AB, 0x116B7), (0x1171D, 0x1172B), (0x1182C, 0x1183A), (0x11930, 0x11935),
    (0x11937, 0x11938), (0x1193B, 0x1193E), (0x11940, 0x11940), (0x11942, 0x11943), (0x119D1, 0x119D7), (0x119DA, 0x119E0),
    (0x119E4, 0x119E4), (0x11A01, 0x11A0A), (0x11A33, 0x11A39), (0x11A3B, 0x11A3E), (0x11A47, 0x11A47), (0x11A51, 0x11A5B),
    (0x11A8A, 0x11A99), (0x11C2F, 0x11C36), (0x11C38, 0x11C3F), (0x11C92, 0x11CA7), (0x11CA9, 0x11CB6), (0x11D31, 0x11D36),
    (0x11D3A, 0x11D3A), (0x11D3C, 0x11D3D), (0x11D3F, 0x11D45), (0x11D47, 0x11D47), (0x11D8A, 0x11D8E), (0x11D90, 0x11D91),
    (0x11D93, 0x11D97), (0x11EF3, 0x11EF6), (0x11F00, 0x11F01), (0x11F03, 0x11F03), (0x11F34, 0x11F3A), (0x11F3E, 0x11F42),
    (0x13440, 0x13440), (0x13447, 0x13455), (0x16AF0, 0x16AF4), (0x16B30, 0x16B36), (0x16F4F, 0x16F4F), (0x16F51, 0x16F87),
    (0x16F8F, 0x16F92), (0x16FE4, 0x16FE4), (0x16FF0, 0x16FF1), (0x1BC9D, 0x1BC9E), (0x1CF00, 0x1CF2D), (0x1CF30, 0x1CF46),
    (0x1D165, 0x1D169), (0x1D16D, 0x1D172), (0x1D17B, 0x1D182), (0x1D185, 0x1D18B), (0x1D1AA, 0x1D1AD), (0x1D242, 0x1D244),
    (0x1DA00, 0x1DA36), (0x1DA3B, 0x1DA6C), (0x1DA75, 0x1DA75), (0x1DA84, 0x1DA84), (0x1DA9B, 0x1DA9F), (0x1DAA1, 0x1DAAF),
    (0x1E000, 0x1E006), (0x1E008, 0x1E018), (0x1E01B, 0x1E021), (0x1E023, 0x1E024), (0x1E026, 0x1E02A), (0x1E08F, 0x1E08F),
    (0x1E130, 0x1E136), (0x1E2AE, 0x1E2AE), (0x1E2EC, 0x1E2EF), (0x1E4EC, 0x1E4EF), (0x1E8D0, 0x1E8D6), (0x1E944, 0x1E94A),
    (0xE0100, 0xE01EF),
];

/// Belongs to what stands before it.
fn extends(r: u32) -> bool {
    matches!(r, 0x200C | 0x200D | 0xE33 | 0xEB3 | 0xFF9E | 0xFF9F | 0x1F3FB..=0x1F3FF | 0xE0020..=0xE007F)
        || MARKS
            .binary_search_by(|&(from, to)| {
                if to < r {
                    std::cmp::Ordering::Less
                } else if from > r {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
}

/// Belongs to what stands behind it.
fn prepended(r: u32) -> bool {
    matches!(r,
        0x600..=0x605 | 0x6DD | 0x70F | 0x890 | 0x891 | 0x8E2 | 0xD4E | 0x110BD | 0x110CD | 0x111C2 | 0x111C3 | 0x113D1 | 0x1193F | 0x11941 |
        0x11A3A..=0x11A3F | 0x11A84..=0x11A89 | 0x11D46 | 0x11F02)
}

/// Parts of one syllable (UAX #29, GB6 to GB8).
fn hangul_join(a: u32, b: u32) -> bool {
    let lead = |r| matches!(r, 0x1100..=0x115F | 0xA960..=0xA97C);
    let vowel = |r| matches!(r, 0x1160..=0x11A7 | 0xD7B0..=0xD7C6);
    let tail = |r| matches!(r, 0x11A8..=0x11FF | 0xD7CB..=0xD7FB);
    let syllable = |r| matches!(r, 0xAC00..=0xD7A3);
    if lead(a) {
        lead(b) || vowel(b) || syllable(b)
    } else if vowel(a) || syllable(a) && (a - 0xAC00) % 28 == 0 {
        vowel(b) || tail(b)
    } else {
        (syllable(a) || tail(a)) && tail(b)
    }
}

/// The last of the marks at the end of s, or one of those before it, is a virama, which joins two consonants.
fn conjunct(s: &str) -> bool {
    for a in s.chars().rev().take(8) {
        match a as u32 {
            0x94D | 0x9CD | 0xACD | 0xB4D | 0xC4D | 0xD4D | 0x1039 | 0x17D2 | 0x1A60 | 0x1B44 | 0x1BAB | 0xA9C0 | 0xAAF6 | 0x10A3F | 0x11133 |
            0x113D0 | 0x1193E | 0x11A47 | 0x11A99 | 0x11F42 => return true,
            v if !extends(v) => return false,
            _ => {}
        }
    }
    false
}

/// s may be cut at at, which is neither its beginning nor its end: no accent, joined emoji, flag, syllable or CRLF is taken apart.
fn border(s: &str, at: usize) -> bool {
    let a = before(s, at);
    let b = s[at..].chars().next().map_or(0, |r| r as u32);
    let regional = |r: u32| (0x1F1E6..=0x1F1FF).contains(&r);
    if a == 13 && b == 10 {
        return false;
    }
    if a < 0x20 || b < 0x20 {
        return true;
    }
    if a < 0x300 && b < 0x300 {
        return a != 0xAD;
    }
    if extends(b) || a == 0x200D || prepended(a) {
        return false;
    }
    if regional(a) && regional(b) {
        // flags are pairs
        return s[..at].chars().rev().take(256).take_while(|&r| regional(r as u32)).count() % 2 == 0;
    }
    !hangul_join(a, b) && (b < 0x900 || !conjunct(&s[..at]))
}

/// The last place at or before n between two characters as a reader sees them; 0 when the first is longer than n, but where 1 KiB holds no
/// such place it is the last one between two code points.
fn cut_grapheme(s: &str, mut n: usize) -> usize {
    if n >= s.len() {
        return s.len();
    }
    while !s.is_char_boundary(n) {
        n -= 1;
    }
    let mut at = n;
    while at + 1024 > n {
        if at == 0 {
            return 0;
        }
        if border(s, at) {
            return at;
        }
        at -= s[..at].chars().next_back().map_or(1, char::len_utf8);
    }
    n
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
