//! Ordinary work of Rust programs, as a decoder: what it computes of its input comes out as text.

#[path = "../../../plugins/pdk/rust/glovebox.rs"]
mod glovebox;

use glovebox::{Call, Decoder, Fail};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

glovebox::decoder!(Decoder {
    name: "work",
    version: "1",
    media_types: &["text/plain"],
    unit: "line",
    forms: &["text"],
    children: false,
    samples: &[],
    decode,
});

trait Shape {
    fn area(&self) -> f64;
    fn grow(&mut self, by: f64);
}

struct Square(f64);
struct Circle(f64);
struct Stack(Vec<Box<dyn Shape>>);

impl Shape for Square {
    fn area(&self) -> f64 { self.0 * self.0 }
    fn grow(&mut self, by: f64) { self.0 += by }
}

impl Shape for Circle {
    fn area(&self) -> f64 { std::f64::consts::PI * self.0.powi(2) }
    fn grow(&mut self, by: f64) { self.0 *= 1.0 + by / 100.0 }
}

impl Shape for Stack {
    fn area(&self) -> f64 { self.0.iter().map(|s| s.area()).sum::<f64>().sqrt() }
    fn grow(&mut self, by: f64) { self.0.iter_mut().rev().for_each(|s| s.grow(by)) }
}

fn shapes(data: &[u8]) -> f64 {
    let mut all: Vec<Box<dyn Shape>> = Vec::new();
    for &c in data {
        match c % 4 {
            0 => all.push(Box::new(Square(c as f64))),
            1 => all.push(Box::new(Circle(c as f64 / 3.0))),
            2 if all.len() > 2 => {
                let rest = all.split_off(all.len() / 2);
                all.push(Box::new(Stack(rest)));
            }
            _ => all.iter_mut().for_each(|s| s.grow(c as f64 / 7.0)),
        }
    }
    Stack(all).area()
}

fn words(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    let mut count: HashMap<&str, usize> = HashMap::new();
    for w in text.split_whitespace() {
        *count.entry(w).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = count.iter().map(|(w, n)| ((std::cmp::Reverse(n), *w), w.to_uppercase())).collect();
    sorted.iter().take(5).map(|(k, v)| format!("{}:{}:{:?}", v, (k.0).0, k.1)).collect::<Vec<_>>().join(" ")
}

fn integers(data: &[u8]) -> (u128, i64, Option<u32>) {
    let (mut a, mut b, mut c) = (1u128, 0i64, Some(1u32));
    for &x in data {
        a = a.wrapping_mul(0x1_0000_01B3).wrapping_add(x as u128).rotate_left(x as u32);
        b = b.wrapping_shl(3).saturating_sub(x as i64).rem_euclid(1 << 40);
        c = c.and_then(|c| c.checked_add(x as u32 * 65_537)).or(Some(7));
    }
    (a / (b as u128 + 3), b, c)
}

/// The edges at which Rust asks before it computes. In a debug build they would panic, so here they are asked for.
fn edges(data: &[u8]) -> String {
    let n = data.len() as i32;
    let mut out = String::new();
    let _ = write!(out, "{:?} {:?} {:?}", n.checked_div(n - n), i32::MIN.checked_abs(), data.get(1 << 20));
    let _ = write!(out, " {} {} {}", f64::NAN as i32, 1e300 as i64, -1.5f32 as u8);
    let _ = write!(out, " {:.3} {:e} {:?}", n as f64 / 7.0, 1.0 / (n as f64 + 0.1), f32::MIN_POSITIVE);
    let _ = write!(out, " {:?} {:?}", "12x".parse::<i32>(), "2.5e-3".parse::<f64>());
    out
}

fn decode(c: &mut Call) -> Result<(), Fail> {
    let data = c.input_all()?;
    if data.starts_with(b"panic") {
        let n = data.len();
        return Err(Fail::malformed(&format!("{}", data[n + 1]))); // out of bounds
    }
    let text = format!("{:?}\n{}\n{:?}\n{}\n", shapes(&data), words(&data), integers(&data), edges(&data));
    for at in c.units(1)? {
        c.text(at, &text)?;
    }
    Ok(())
}
