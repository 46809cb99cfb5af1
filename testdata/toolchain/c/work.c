/* Ordinary work of C programs, as a decoder: what it computes of its input comes out as text, one line for each kind of work. */
#include "glovebox.h"

typedef struct { gb_buf out; gb_bytes in; } work;

static void hex(work *w, const char *name, uint64_t v) {
    gb_puts(&w->out, name);
    gb_putc(&w->out, ' ');
    for (int i = 60; i >= 0; i -= 4) gb_putc(&w->out, (uint8_t)"0123456789abcdef"[v >> i & 15]);
    gb_putc(&w->out, '\n');
}

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 1099511628211u; }
static uint8_t at(work *w, size_t i) { return w->in.len ? w->in.ptr[i % w->in.len] : 0; }

/* ---- sort, with a function pointer ---- */

static int up(uint32_t a, uint32_t b) { return a < b; }
static int down(uint32_t a, uint32_t b) { return a > b; }
static int low_byte(uint32_t a, uint32_t b) { return (a & 255) < (b & 255); }

static void quick(uint32_t *v, int n, int (*less)(uint32_t, uint32_t)) {
    while (n > 1) {
        uint32_t p = v[n / 2];
        int i = 0, j = n - 1;
        while (i <= j) {
            while (less(v[i], p)) i++;
            while (less(p, v[j])) j--;
            if (i <= j) { uint32_t t = v[i]; v[i++] = v[j]; v[j--] = t; }
        }
        if (j + 1 < n - i) { quick(v, j + 1, less); v += i; n -= i; } else { quick(v + i, n - i, less); n = j + 1; }
    }
}

static void sorts(work *w) {
    int (*const less[])(uint32_t, uint32_t) = {up, down, low_byte};
    uint32_t v[500];
    for (size_t k = 0; k < 3; k++) {
        uint32_t x = 2463534242u;
        for (size_t i = 0; i < 500; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; v[i] = x + at(w, i) * 65537u; }
        quick(v, 500, less[(k + at(w, k)) % 3]);
        uint64_t h = 0;
        for (size_t i = 0; i < 500; i++) h = mix(h, v[i]);
        hex(w, "sort", h);
    }
}

/* ---- SHA-256 (FIPS 180-4) ---- */

static uint32_t rot(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void sha256(work *w) {
    uint32_t k[64], s[8], m[64], prime = 2;
    for (int n = 0; n < 64; prime++) { /* fractional parts of cube roots of primes, by integer search */
        int is = 1;
        for (uint32_t d = 2; d * d <= prime; d++) if (prime % d == 0) is = 0;
        if (!is) continue;
        double lo = 0, hi = 8, p = prime;
        for (int i = 0; i < 80; i++) { double c = (lo + hi) / 2; if (c * c * c <= p) lo = c; else hi = c; }
        k[n] = (uint32_t)(uint64_t)((lo - (double)(int)lo) * 4294967296.0);
        if (n < 8) { double q = __builtin_sqrt(p); s[n] = (uint32_t)(uint64_t)((q - (double)(int)q) * 4294967296.0); }
        n++;
    }
    size_t len = w->in.len, blocks = (len + 9 + 63) / 64;
    for (size_t b = 0; b < blocks; b++) {
        for (size_t i = 0; i < 64; i++) {
            size_t j = b * 64 + i;
            uint8_t c = j < len ? w->in.ptr[j] : j == len ? 0x80 : 0;
            if (j >= blocks * 64 - 8) c = (uint8_t)((uint64_t)len * 8 >> (8 * (blocks * 64 - 1 - j)));
            m[i / 4] = m[i / 4] << 8 | c;
        }
        for (int i = 16; i < 64; i++) m[i] = m[i - 16] + m[i - 7] + (rot(m[i - 15], 7) ^ rot(m[i - 15], 18) ^ m[i - 15] >> 3) + (rot(m[i - 2], 17) ^ rot(m[i - 2], 19) ^ m[i - 2] >> 10);
        uint32_t a = s[0], bb = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
        for (int i = 0; i < 64; i++) {
            uint32_t t1 = h + (rot(e, 6) ^ rot(e, 11) ^ rot(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + m[i], t2 = (rot(a, 2) ^ rot(a, 13) ^ rot(a, 22)) + ((a & bb) ^ (a & c) ^ (bb & c));
            h = g; g = f; f = e; e = d + t1; d = c; c = bb; bb = a; a = t1 + t2;
        }
        s[0] += a; s[1] += bb; s[2] += c; s[3] += d; s[4] += e; s[5] += f; s[6] += g; s[7] += h;
    }
    for (int i = 0; i < 8; i += 2) hex(w, "sha256", (uint64_t)s[i] << 32 | s[i + 1]);
}

/* ---- floats: series, rounding, conversions, the odd values ---- */

static uint64_t bits(double d) {
    uint64_t u;
    __builtin_memcpy(&u, &d, 8);
    return d == d ? u : 0x7FF8000000000000u; /* the bits of a NaN are the engine's own */
}

static void floats(work *w) {
    double sum = 0, term = 1, x = at(w, 0) / 16.0 - 4;
    for (int i = 1; i < 60; i++) { sum += term; term *= x / i; }
    hex(w, "exp", bits(sum));
    float f = 1;
    for (int i = 0; i < 100; i++) f = f * 1.0001f + __builtin_sqrtf((float)at(w, (size_t)i)) - __builtin_floorf(f);
    hex(w, "float", bits((double)f));
    hex(w, "round", bits(__builtin_rint(x * 7.5) + __builtin_trunc(x * 3.3) + __builtin_ceil(x) * 0.5 + __builtin_copysign(1.5, x)));
    hex(w, "convert", (uint64_t)(int64_t)(x * 1e15) ^ (uint64_t)(uint32_t)(int32_t)(x * 1e8));
    hex(w, "nan", bits((x - x) / (x - x)) + bits(1 / (x - x)) + bits(__builtin_fabs(-x)));
}

/* ---- integers of both widths, and a jump table ---- */

static void integers(work *w) {
    uint64_t a = 0x9E3779B97F4A7C15u;
    uint32_t b = 1;
    for (size_t i = 0; i < 400; i++) {
        uint32_t c = at(w, i);
        switch (c % 13) {
        case 0: a = a << (c & 63) | a >> ((64 - (c & 63)) & 63); break;
        case 1: a /= c + 3; break;
        case 2: a = a % (c + 1) * 0x100000001B3u + 7; break;
        case 3: a += (uint64_t)((int64_t)a >> 7); break;
        case 4: b = (uint32_t)((int32_t)b / (int32_t)(c + 1)); break;
        case 5: b = (uint32_t)((int32_t)b % (int32_t)(c + 1)) * 40503u + 1; break;
        case 6: b += (uint32_t)__builtin_clz(b | 1) * 77u + (uint32_t)__builtin_ctz(b | 256); break;
        case 7: b ^= (uint32_t)__builtin_popcountll(a) << (c & 31); break;
        case 8: a = mix(a, (uint64_t)(int64_t)(int8_t)b); break;
        case 9: a = mix(a, (uint64_t)(int64_t)(int16_t)b); break;
        case 10: b = b * 1664525u + 1013904223u; break;
        case 11: a ^= (uint64_t)b << 17; break;
        default: a = a * a + b;
        }
    }
    hex(w, "integers", a ^ b);
}

/* ---- memory: copies that overlap, fills, growth ---- */

static void memory(work *w) {
    enum { size = 200000 };
    uint8_t *p = gb_alloc(size);
    __builtin_memset(p, at(w, 1), size);
    for (size_t i = 0; i < 64; i++) p[i * 97] = at(w, i);
    __builtin_memmove(p + 33, p, 150000);
    __builtin_memmove(p + 7, p + 1000, 100000);
    __builtin_memcpy(p + 180000, p, 20000);
    uint64_t h = 0;
    for (size_t i = 0; i < size; i += 31) h = mix(h, p[i]);
    hex(w, "memory", h);
    uint8_t *q = gb_alloc(3 << 20); /* grows */
    q[(3 << 20) - 1] = p[5];
    hex(w, "grown", q[(3 << 20) - 1]);
}

/* ---- recursion, and vectors where the target has them ---- */

static uint32_t ackermann(uint32_t m, uint32_t n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

typedef float f4 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef uint8_t b16 __attribute__((vector_size(16)));

static void vectors(work *w) {
    f4 f = {1, 2, 3, 4};
    i4 v = {1, -2, 3, -4};
    b16 b = {0};
    for (size_t i = 0; i < 200; i++) {
        float x = at(w, i);
        f4 g = {x, x / 3, -x, 1};
        i4 u = {at(w, i + 1), 7, (int32_t)i, -1};
        f = f * 0.5f + g;
        v = (v + u) * (u - v) ^ (v >> 3);
        b = b + (uint8_t)(i * 3);
        b = (b << 1) | (b >> 7);
    }
    uint64_t h = 0;
    for (int i = 0; i < 4; i++) h = mix(mix(h, bits((double)f[i])), (uint32_t)v[i]);
    for (int i = 0; i < 16; i++) h = mix(h, b[i]);
    hex(w, "vectors", h);
}

static int decode(gb_call *c) {
    work w = {{0}, {0}};
    if (gb_input_all(c, &w.in)) return c->status;
    if (gb_units(c, 1)) return c->status;
    sorts(&w);
    sha256(&w);
    floats(&w);
    integers(&w);
    memory(&w);
    vectors(&w);
    hex(&w, "ackermann", ackermann(2, at(&w, 2) % 40));
    if (gb_next(c)) gb_text(c, 1, gb_view(&w.out));
    return c->status;
}

GB_DECODER((.name = "work", .version = "1", .media_types = "text/plain", .unit = "line", .forms = "text", .decode = decode))
