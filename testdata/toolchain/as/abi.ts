// The ABI as AssemblyScript sees it, as much as these modules need: describe, the input's bytes, text, end.

// @ts-ignore
@external("glovebox", "input_len") declare function input_len(): i64;
// @ts-ignore
@external("glovebox", "input_read") declare function input_read(off: i64, ptr: usize, len: u32): i32;
// @ts-ignore
@external("glovebox", "emit") declare function host_emit(kind: u32, ptr: usize, len: u32): u32;

// Where the compiler would import env.abort: --use abort=abi/stop. An abort (an index out of bounds, a null, a throw) is a trap.
export function stop(message: usize, file: usize, line: u32, column: u32): void { unreachable(); }

export function input(): Uint8Array {
  const data = new Uint8Array(<i32>input_len());
  if (data.length) input_read(0, data.dataStart, data.length);
  return data;
}

export function emit(kind: u32, header: string, body: string): bool {
  const f = frame(header, body);
  return host_emit(kind, f.dataStart, f.length) != 0;
}

// The same frame for as long as the host takes it.
export function repeat(kind: u32, header: string, body: string): void {
  const f = frame(header, body);
  while (!host_emit(kind, f.dataStart, f.length));
}

function frame(header: string, body: string): Uint8Array {
  const h = String.UTF8.encode(header), b = String.UTF8.encode(body);
  const f = new Uint8Array(4 + h.byteLength + b.byteLength);
  store<u32>(f.dataStart, h.byteLength);
  memory.copy(f.dataStart + 4, changetype<usize>(h), h.byteLength);
  memory.copy(f.dataStart + 4 + h.byteLength, changetype<usize>(b), b.byteLength);
  return f;
}

export function describe(name: string): i32 {
  emit(1, '{"abi":1,"name":"' + name + '","version":"1","media_types":["text/plain"],"unit":"line","forms":["text"]}', "");
  return 0;
}

export function answer(text: string): i32 {
  emit(3, '{"at":1}', text);
  emit(9, '{"total":1}', "");
  return 0;
}
