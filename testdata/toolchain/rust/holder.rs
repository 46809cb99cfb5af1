//! A decoder of files with something inside: the file itself is its one child, and in the form image the picture of each of its two units.

#[path = "../../../plugins/pdk/rust/glovebox.rs"]
mod glovebox;

use glovebox::{Call, Decoder, Fail};

glovebox::decoder!(Decoder {
    name: "holder", version: "1.0.0", media_types: &["text/plain"], unit: "file", forms: &["image"], children: true, samples: &[], decode,
});

fn decode(c: &mut Call) -> Result<(), Fail> {
    let data = c.input_all()?;
    if let Some(&n) = c.req.child.first() {
        if n != 1 {
            return Err(Fail::invalid("there is no such file"));
        }
        return c.file(0, 1, "inner \"1\".txt", "text/plain", &data);
    }
    c.child(1, "inner \"1\".txt", "text/plain", data.len() as i64)?;
    let password = c.req.password.clone();
    for at in c.units(2)? {
        c.text(at, &password)?;
        if c.req.form == "image" {
            c.file(at, at, "p.png", "image/png", &data)?;
        }
    }
    Ok(())
}
