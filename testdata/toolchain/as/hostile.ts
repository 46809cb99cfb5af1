// A decoder that does harm; the first byte of the input says which.
import { input, answer, describe, repeat } from "./abi";

export function glovebox_abi(): i32 { return 1; }
export function glovebox_describe(): i32 { return describe("hostile"); }

let sink: i32 = 0;

function forever(): void { for (;;) sink++; }
function down(n: i32): i32 { return n == 0 ? 0 : 1 + down(n + 1) + sink; }
function tree(n: i32): i32 { return n == 0 ? 1 : tree(n - 1) + tree(n - 1); }

function grow(): void {
  let pages = 1;
  while (memory.grow(pages) != -1) { store<u8>(<usize>(memory.size() << 16) - 1, 1); pages = min(pages * 2, 256); }
  unreachable(); // the host has ended it by now
}

function allocate(): void { for (;;) { const a = new Array<i32>(1 << 16); sink += a.length; } }
function outside(): i32 { return load<i32>(0xfffffff0); }
function index(): i32 { const a = new Array<i32>(4); let i = 4 + sink; return a[i]; }
function flood(): void { repeat(3, '{"at":1}', "flood flood flood ".repeat(50)); }

export function glovebox_decode(): i32 {
  const data = input();
  switch (data.length ? data[0] : 0) {
    case 0x6c: forever(); break; // l
    case 0x64: sink = down(1); break; // d
    case 0x74: sink = tree(60); break; // t
    case 0x67: grow(); break; // g
    case 0x61: allocate(); break; // a
    case 0x6f: sink = outside(); break; // o
    case 0x69: sink = index(); break; // i
    case 0x78: throw new Error("thrown"); // x
    case 0x66: flood(); return 0; // f
    case 0x73: return 0; // s: silent
    case 0x7a: return 7; // z: not zero
  }
  return answer("harmless " + sink.toString());
}
