// Ordinary work of AssemblyScript programs, as a decoder.
import { input, answer, describe } from "./abi";

export function glovebox_abi(): i32 { return 1; }
export function glovebox_describe(): i32 { return describe("work"); }

class Node {
  left: Node | null = null;
  right: Node | null = null;
  constructor(public key: i32) {}
  insert(key: i32): void {
    if (key < this.key) {
      const l = this.left;
      if (l) l.insert(key); else this.left = new Node(key);
    } else {
      const r = this.right;
      if (r) r.insert(key); else this.right = new Node(key);
    }
  }
  depth(): i32 {
    const l = this.left, r = this.right;
    return 1 + max(l ? l.depth() : 0, r ? r.depth() : 0);
  }
}

function tree(data: Uint8Array): string {
  const root = new Node(128);
  for (let i = 0; i < min(data.length, 200); i++) root.insert((data[i] * 7919) & 0xffff);
  return root.depth().toString();
}

function count(data: Uint8Array): string {
  const m = new Map<i32, i32>();
  for (let i = 0; i < data.length; i++) m.set(data[i], (m.has(data[i]) ? m.get(data[i]) : 0) + 1);
  const keys = m.keys().sort((a, b) => a - b);
  let out = "";
  for (let i = 0; i < keys.length; i++) out += keys[i].toString() + "=" + m.get(keys[i]).toString() + " ";
  return out;
}

function floats(data: Uint8Array): string {
  let x: f64 = 0.5;
  for (let i = 0; i < data.length; i++) x = Math.sqrt(Math.abs(3.7 * x * (1 - x))) + <f64>data[i] / 1024;
  return x.toString() + " " + Math.floor(x * 100).toString() + " " + (<i32>(x * 1e6)).toString(16);
}

function integers(data: Uint8Array): string {
  let h: u64 = 14695981039346656037;
  for (let i = 0; i < data.length; i++) h = rotl<u64>((h ^ data[i]) * 1099511628211, data[i]) + clz<u64>(h) + popcnt<u64>(h);
  return h.toString(16) + " " + (<i64>h % 1000003).toString();
}

export function glovebox_decode(): i32 {
  const data = input();
  return answer(tree(data) + "\n" + count(data) + "\n" + floats(data) + "\n" + integers(data) + "\n");
}
