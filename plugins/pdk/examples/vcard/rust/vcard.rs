//! vCard to text, one unit for each card: ../vcard.go in Rust.
//!
//! ```text
//! rustc --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -O -C strip=symbols \
//!     -o vcard.wasm plugins/pdk/examples/vcard/rust/vcard.rs
//! ```

#[path = "../../../rust/glovebox.rs"]
mod glovebox;

use glovebox::{Call, Decoder, Fail, Object};

glovebox::decoder!(Decoder {
    name: "vcard",
    version: "1.0.0",
    media_types: &["text/vcard", "text/x-vcard"],
    unit: "card",
    forms: &["text"],
    children: false,
    samples: &[("text/vcard", b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n")],
    decode,
});

struct Card {
    text: String,
    replaced: bool,
    media: bool,
}

fn decode(c: &mut Call) -> Result<(), Fail> {
    let data = c.input_all()?;
    let cards = parse(data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&data)).map_err(Fail::malformed)?;
    c.meta(Object::new().int("cards", cards.len() as i64))?;
    for at in c.units(cards.len() as i64)? {
        let card = &cards[at as usize - 1];
        c.text(at, &card.text)?;
        if card.replaced {
            c.warn("replaced", "bytes that are not UTF-8", at)?;
        }
        if card.media {
            c.warn("partial", "pictures, sounds and keys are left out", at)?;
        }
    }
    Ok(())
}

/// The cards of a file, or what is wrong with it.
fn parse(mut data: &[u8]) -> Result<Vec<Card>, &'static str> {
    let mut cards = Vec::new();
    let mut open: Option<(Vec<u8>, bool)> = None; // text, media
    while !data.is_empty() {
        let line = unfold(&mut data);
        if line.iter().all(|c| matches!(c, b' ' | b'\t')) {
            continue;
        }
        let p = property(&line);
        let begin = matches!(&p, Some(p) if p.name == "BEGIN" && p.value.eq_ignore_ascii_case(b"VCARD"));
        match (open.as_mut(), p) {
            (None, _) if !begin => return Err("there is something outside a card"),
            (None, _) => open = Some((Vec::new(), false)),
            (Some(_), _) if begin => return Err("a card begins inside a card"),
            (Some(_), None) => return Err("a line of a card is no property"),
            (Some((text, media)), Some(p)) if p.name == "END" => {
                text.push(b'\n');
                let (text, bad) = glovebox::utf8(text);
                cards.push(Card { text, replaced: bad > 0, media: *media });
                open = None;
            }
            (Some((text, media)), Some(p)) => add(text, media, &p),
        }
    }
    match (open, cards.is_empty()) {
        (Some(_), _) => Err("a card does not end"),
        (None, true) => Err("there is no card"),
        (None, false) => Ok(cards),
    }
}

fn add(text: &mut Vec<u8>, media: &mut bool, p: &Prop) {
    let label = match p.name.as_str() {
        "VERSION" | "PRODID" | "REV" | "UID" => return,
        "PHOTO" | "LOGO" | "SOUND" | "KEY" => {
            *media = true;
            return;
        }
        "FN" => "Name",
        "N" => "Name parts",
        "NICKNAME" => "Nickname",
        "TEL" => "Phone",
        "EMAIL" => "Email",
        "ADR" => "Address",
        "ORG" => "Organization",
        "TITLE" => "Title",
        "ROLE" => "Role",
        "BDAY" => "Birthday",
        "NOTE" => "Note",
        other => other,
    };
    text.extend_from_slice(label.as_bytes());
    if !p.types.is_empty() {
        text.extend_from_slice(b" (");
        text.extend_from_slice(&p.types.join(&b", "[..]));
        text.push(b')');
    }
    text.extend_from_slice(b": ");
    plain(text, &p.value, matches!(p.name.as_str(), "N" | "ADR" | "ORG"));
    text.push(b'\n');
}

/// One line of a card: [group.]NAME[;parameter…]:value.
struct Prop {
    name: String, // upper case
    types: Vec<Vec<u8>>,
    value: Vec<u8>,
}

/// Take one line, without its end.
fn cut<'a>(data: &mut &'a [u8]) -> &'a [u8] {
    let n = data.iter().position(|&c| c == b'\n').unwrap_or(data.len());
    let line = &data[..n];
    *data = &data[data.len().min(n + 1)..];
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Take one line with those that continue it: RFC 6350, 3.2, and vCard 2.1's "=".
fn unfold(data: &mut &[u8]) -> Vec<u8> {
    let mut line = cut(data).to_vec();
    loop {
        match data.first() {
            Some(b' ' | b'\t') => *data = &data[1..],
            Some(_) if line.ends_with(b"=") && quoted(&line) => {
                line.pop();
            }
            _ => return line,
        }
        line.extend_from_slice(cut(data));
    }
}

/// Do the parameters say that the value is quoted-printable?
fn quoted(line: &[u8]) -> bool {
    let head = line.split(|&c| c == b':').next().unwrap_or(line);
    const WORD: &[u8] = b"QUOTED-PRINTABLE";
    head.windows(WORD.len()).any(|w| w.eq_ignore_ascii_case(WORD))
}

fn property(line: &[u8]) -> Option<Prop> {
    let mut inside = false;
    let colon = line.iter().position(|&c| {
        inside ^= c == b'"';
        c == b':' && !inside
    })?;
    let mut inside = false;
    let mut params = line[..colon].split(|&c| {
        inside ^= c == b'"';
        c == b';' && !inside
    });
    let name = params.next()?.rsplit(|&c| c == b'.').next()?.to_ascii_uppercase();
    if name.is_empty() || !name.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'-') {
        return None;
    }
    let mut types = Vec::new();
    for param in params {
        let value = match param.iter().position(|&c| c == b'=') {
            None => param, // vCard 2.1
            Some(eq) if param[..eq].eq_ignore_ascii_case(b"TYPE") => &param[eq + 1..],
            Some(_) => continue,
        };
        let from = value.iter().position(|&c| c != b'"').unwrap_or(value.len());
        let to = value.iter().rposition(|&c| c != b'"').map_or(from, |i| i + 1);
        for t in value[from..to].split(|&c| c == b',') {
            let t = t.to_ascii_lowercase();
            if !t.is_empty() && t != b"quoted-printable" && t != b"base64" {
                types.push(t);
            }
        }
    }
    let mut value = line[colon + 1..].to_vec();
    if quoted(line) {
        value = printable(&value);
    }
    Some(Prop { name: String::from_utf8(name).ok()?, types, value })
}

/// Quoted-printable; what is none stays as it is.
fn printable(s: &[u8]) -> Vec<u8> {
    let digit = |i: usize| s.get(i).and_then(|&c| (c as char).to_digit(16));
    let mut out = Vec::new();
    let mut i = 0;
    while i < s.len() {
        match (s[i], digit(i + 1), digit(i + 2)) {
            (b'=', Some(hi), Some(lo)) => {
                out.push((hi << 4 | lo) as u8);
                i += 3;
            }
            (c, _, _) => {
                out.push(c);
                i += 1;
            }
        }
    }
    out
}

/// A value for people: escapes taken out, components joined by commas, later lines indented.
fn plain(out: &mut Vec<u8>, value: &[u8], structured: bool) {
    let begin = out.len();
    let mut start = begin; // of the component
    let mut rest = value.iter().copied().peekable();
    while let Some(mut c) = rest.next() {
        let mut escaped = false;
        if c == b'\\' {
            if let Some(next) = rest.next_if(|n| b"\\,;nN".contains(n)) {
                escaped = true;
                c = if next.eq_ignore_ascii_case(&b'n') { b'\n' } else { next };
            }
        }
        match c {
            b'\r' => {}
            b'\n' => out.extend_from_slice(b"\n  "),
            b';' if structured && !escaped => {
                if out.len() > start {
                    out.extend_from_slice(b", ");
                    start = out.len();
                }
            }
            _ => out.push(c),
        }
    }
    if start > begin && out.len() == start {
        out.truncate(start - 2);
    }
}
