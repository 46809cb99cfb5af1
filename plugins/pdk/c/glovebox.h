/*
 * glovebox.h: ABI version 1 of glovebox decoders, for C99. One file, no libc, no imports but those of the ABI.
 *
 * A decoder says what it is and has one function:
 *
 *     #include "glovebox.h"
 *
 *     static int decode(gb_call *c) {
 *         gb_bytes in;
 *         if (gb_input_all(c, &in)) return c->status;
 *         if (in.len == 0) return gb_malformed(c, "there is nothing");
 *         gb_units(c, 1);
 *         for (int64_t at = gb_next(c); at; at = gb_next(c))
 *             if (gb_text(c, at, in)) break;
 *         return c->status;
 *     }
 *
 *     GB_DECODER((.name = "all", .version = "1.0.0", .media_types = "text/plain", .unit = "file", .decode = decode))
 *
 *     clang --target=wasm32 -std=c99 -O2 -mbulk-memory -ffreestanding -nostdlib -Wl,--no-entry,--stack-first -o all.wasm all.c
 *
 * With --stack-first a stack that runs over is a trap; without, it would write over the decoder's own data. With wasi-libc build a
 * reactor: --target=wasm32-wasi -mexec-model=reactor, without -ffreestanding -nostdlib.
 *
 * Every function that can fail returns 0 when all is well, else c->status, and does nothing once c->status is set: a decoder may check late,
 * but has to stop in the end. What ends a decode well (GB_FULL, GB_STOP) is a status too: return it. Text is given as it is in the file's
 * own characters, as valid UTF-8 (gb_utf8 makes it so); the host escapes what is hidden in it. A detail is a literal of the decoder's
 * own, never text from a file.
 *
 * Memory comes from gb_alloc and is never given back: every decode begins with the memory that the one before began with.
 */
#ifndef GLOVEBOX_H
#define GLOVEBOX_H

#include <stddef.h>
#include <stdint.h>

#ifndef __wasm32__
#error "glovebox.h is for --target=wasm32 or wasm32-wasi"
#endif
#if !__STDC_HOSTED__ && !defined(__wasm_bulk_memory__)
#error "without a libc the compiler needs -mbulk-memory: it makes memcpy and memset of its own accord"
#endif

/* Frame kinds. gb_emit takes any; the functions below cover all of them. */
enum { GB_DESCRIBE = 1, GB_META, GB_TEXT, GB_IMAGE, GB_DATA, GB_WARNING, GB_ERROR, GB_CHILD, GB_END, GB_FILE };

/* Levels of gb_log. */
enum { GB_DEBUG = 0, GB_INFO, GB_WARN, GB_FAULT };

/* What a call's status can be. */
enum {
    GB_OK = 0,
    GB_FULL,   /* the answer has all that it may hold: the decode ends well, the next one goes on from here */
    GB_STOP,   /* the host has enough */
    GB_FAILED  /* an error is noted and will be sent */
};

/* Bytes that somebody else owns. */
typedef struct { const uint8_t *ptr; size_t len; } gb_bytes;

/* Bytes that grow. A zero gb_buf is an empty one. */
typedef struct { uint8_t *ptr; size_t len, cap; } gb_buf;

typedef struct { int64_t from, to; } gb_range; /* units, both included, from 1; to 0: to the end */

/* The request, as readapi.Request documents it. Absent numbers are 0, absent strings are empty. */
typedef struct {
    int64_t v;
    gb_bytes media_type, name, form;
    gb_range *units; size_t units_len;
    int64_t start_at, start_part, start_offset;
    int64_t *child; size_t child_len; /* the file inside the file to hand on with gb_file, as the whole answer; one number */
    gb_bytes password;
    int64_t max_tokens, max_bytes, max_file_bytes, max_pixels, max_side, max_frames, max_total_pixels, max_edge;
    int unescaped;
} gb_request;

typedef struct gb_call {
    gb_request req;
    int64_t input_len;
    int status;

    /* Below here is the library's own. */
    const char *code, *detail, *limit; int64_t value, actual; gb_buf said; /* the error */
    int64_t total; int at_least;
    int has_next; int64_t next_at, next_part, next_offset;
    int64_t at, part;                 /* the current unit, and part of it */
    int64_t tokens, bytes, parts, frames, warnings, files;
    int64_t walked;                   /* the unit that gb_next gave last */
} gb_call;

/* A small valid input that warms the decoder up. */
typedef struct { const char *media_type; const char *data; size_t len; } gb_sample;

/* What a decoder says of itself. Lists are words with one blank between them. name and unit are single words in lower case, media types exact ones
 * that the host knows: docs/abi.md says which. */
typedef struct {
    const char *name, *version, *media_types, *unit;
    const char *forms;               /* without "auto"; NULL: none */
    int children;
    const gb_sample *samples; size_t samples_len;
    int (*decode)(gb_call *c);
} gb_decoder;

#define GB__IMPORT(name) __attribute__((import_module("glovebox"), import_name(name)))
#define GB__EXPORT(name) __attribute__((export_name(name), visibility("default")))
#define GB__UNUSED __attribute__((unused))
#define GB__API static GB__UNUSED

GB__IMPORT("request_len") uint32_t gb__request_len(void);
GB__IMPORT("request_read") void gb__request_read(void *ptr);
GB__IMPORT("input_len") int64_t gb__input_len(void);
GB__IMPORT("input_read") int32_t gb__input_read(int64_t off, void *ptr, uint32_t len);
GB__IMPORT("emit") uint32_t gb__emit(uint32_t kind, const void *ptr, uint32_t len);
GB__IMPORT("log") void gb__log(uint32_t level, const void *ptr, uint32_t len);

/* ---- memory and bytes ---- */

GB__API void gb_copy(void *dst, const void *src, size_t n) {
    __builtin_memcpy(dst, src, n); /* one memory.copy with -mbulk-memory */
}

GB__API size_t gb_strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

GB__API gb_bytes gb_str(const char *s) { gb_bytes b = {(const uint8_t *)s, gb_strlen(s)}; return b; }

GB__API int gb_equal(gb_bytes a, const char *s) {
    size_t i = 0;
    for (; i < a.len && s[i]; i++)
        if (a.ptr[i] != (uint8_t)s[i]) return 0;
    return i == a.len && !s[i];
}

extern uint8_t __heap_base;
static uintptr_t gb__top; /* of what gb_alloc gave; 0: nothing yet */

/* Give n bytes, aligned to 16. They are not cleared. Memory that is not to be had is a trap: the host says limit_memory. */
GB__API void *gb_alloc(size_t n) {
#ifdef GB_MALLOC /* a function of your own, such as malloc of wasi-libc, which owns the heap then */
    void *p = GB_MALLOC(n ? n : 1);
    if (!p) __builtin_trap();
    return p;
#else
    if (!gb__top) gb__top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    size_t size = (n + 15) & ~(size_t)15, have = __builtin_wasm_memory_size(0);
    uint64_t end = (uint64_t)gb__top + size;
    if (size < n || end > UINT32_MAX) __builtin_trap();
    uint64_t want = (end + 65535) >> 16;
    if (want > have) { /* an eighth more, so that growing byte by byte does not ask the host each time */
        size_t more = (size_t)want - have;
        if (__builtin_wasm_memory_grow(0, more + (have >> 3)) == (size_t)-1 && __builtin_wasm_memory_grow(0, more) == (size_t)-1) __builtin_trap();
    }
    void *p = (void *)gb__top;
    gb__top = (uintptr_t)end;
    return p;
#endif
}

GB__API void gb_reserve(gb_buf *b, size_t more) {
    if (more <= b->cap - b->len) return;
    if (more > UINT32_MAX / 2 - b->len) __builtin_trap();
    size_t cap = b->cap * 2 > b->len + more ? b->cap * 2 : b->len + more;
    if (cap < 64) cap = 64;
    uint8_t *p = gb_alloc(cap);
    if (b->len) gb_copy(p, b->ptr, b->len);
    b->ptr = p;
    b->cap = cap;
}

GB__API void gb_put(gb_buf *b, gb_bytes s) {
    gb_reserve(b, s.len);
    if (s.len) gb_copy(b->ptr + b->len, s.ptr, s.len);
    b->len += s.len;
}

GB__API void gb_puts(gb_buf *b, const char *s) { gb_put(b, gb_str(s)); }

GB__API void gb_putc(gb_buf *b, uint8_t c) {
    gb_reserve(b, 1);
    b->ptr[b->len++] = c;
}

GB__API void gb_puti(gb_buf *b, int64_t n) {
    char s[20];
    size_t i = sizeof s;
    uint64_t u = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do s[--i] = (char)('0' + u % 10); while (u /= 10);
    if (n < 0) gb_putc(b, '-');
    gb_bytes d = {(const uint8_t *)s + i, sizeof s - i};
    gb_put(b, d);
}

GB__API gb_bytes gb_view(const gb_buf *b) { gb_bytes v = {b->ptr, b->len}; return v; }

/* ---- UTF-8 ---- */

/* Read the character at the beginning of s: its length comes back, 0 at the end. A byte that begins none is 1 long and *r is 0xFFFD;
 * U+FFFD itself is 3 long. */
GB__API size_t gb_rune(gb_bytes s, uint32_t *r) {
    *r = 0xFFFD;
    if (!s.len) return 0;
    uint8_t c = s.ptr[0];
    if (c < 0x80) { *r = c; return 1; }
    size_t n = c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (!n || n > s.len) return 1;
    uint32_t v = c & (0xFF >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s.ptr[i] & 0xC0) != 0x80) return 1;
        v = v << 6 | (s.ptr[i] & 0x3F);
    }
    if ((n == 3 && (v < 0x800 || (v >= 0xD800 && v < 0xE000))) || (n == 4 && (v < 0x10000 || v > 0x10FFFF))) return 1;
    *r = v;
    return n;
}

/* Put s to b; every byte that is no character becomes U+FFFD. How many of them comes back. */
GB__API size_t gb_utf8(gb_buf *b, gb_bytes s) {
    size_t bad = 0;
    gb_reserve(b, s.len);
    while (s.len) {
        uint32_t r;
        size_t n = gb_rune(s, &r);
        gb_bytes one = {s.ptr, n};
        if (n == 1 && r == 0xFFFD) { gb_puts(b, "\xEF\xBF\xBD"); bad++; } else gb_put(b, one);
        s.ptr += n;
        s.len -= n;
    }
    return bad;
}

/* ---- JSON, writing ---- */

/* Put s as a JSON string. What is no UTF-8 becomes U+FFFD. */
GB__API void gb_json_string(gb_buf *b, gb_bytes s) {
    static const char hex[] = "0123456789abcdef";
    gb_putc(b, '"');
    while (s.len) {
        uint32_t r;
        size_t n = gb_rune(s, &r);
        gb_bytes one = {s.ptr, n};
        if (n == 1 && r == 0xFFFD) {
            gb_puts(b, "\xEF\xBF\xBD");
        } else if (r < 0x20) {
            gb_puts(b, "\\u00");
            gb_putc(b, (uint8_t)hex[r >> 4]);
            gb_putc(b, (uint8_t)hex[r & 15]);
        } else {
            if (r == '"' || r == '\\') gb_putc(b, '\\');
            gb_put(b, one);
        }
        s.ptr += n;
        s.len -= n;
    }
    gb_putc(b, '"');
}

/* Put ,"key": (without the comma behind a brace or bracket). key is a literal that needs no escape. */
GB__API void gb_json_key(gb_buf *b, const char *key) {
    uint8_t last = b->len ? b->ptr[b->len - 1] : '{';
    if (last != '{' && last != '[') gb_putc(b, ',');
    gb_putc(b, '"');
    gb_puts(b, key);
    gb_puts(b, "\":");
}

GB__API void gb_json_int(gb_buf *b, const char *key, int64_t n) { gb_json_key(b, key); gb_puti(b, n); }
GB__API void gb_json_str(gb_buf *b, const char *key, const char *s) { gb_json_key(b, key); gb_json_string(b, gb_str(s)); }

/* ---- JSON, reading the request ---- */

typedef struct { const uint8_t *p, *end; int bad; } gb__json;

static void gb__blank(gb__json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r')) j->p++;
}

static int gb__take(gb__json *j, uint8_t c) {
    gb__blank(j);
    if (j->bad || j->p == j->end || *j->p != c) return 0;
    j->p++;
    return 1;
}

static uint32_t gb__hex4(gb__json *j) {
    uint32_t v = 0;
    if (j->end - j->p < 4) { j->bad = 1; return 0; }
    for (int i = 0; i < 4; i++) {
        uint8_t c = *j->p++;
        uint8_t l = c | 0x20;
        if (c >= '0' && c <= '9') v = v << 4 | (uint32_t)(c - '0');
        else if (l >= 'a' && l <= 'f') v = v << 4 | (uint32_t)(l - 'a' + 10);
        else j->bad = 1;
    }
    return v;
}

static void gb__put_rune(gb_buf *b, uint32_t r) {
    if (r < 0x80) { gb_putc(b, (uint8_t)r); return; }
    if (r < 0x800) gb_putc(b, (uint8_t)(0xC0 | r >> 6));
    else if (r < 0x10000) { gb_putc(b, (uint8_t)(0xE0 | r >> 12)); gb_putc(b, (uint8_t)(0x80 | (r >> 6 & 0x3F))); }
    else { gb_putc(b, (uint8_t)(0xF0 | r >> 18)); gb_putc(b, (uint8_t)(0x80 | (r >> 12 & 0x3F))); gb_putc(b, (uint8_t)(0x80 | (r >> 6 & 0x3F))); }
    gb_putc(b, (uint8_t)(0x80 | (r & 0x3F)));
}

static gb_bytes gb__string(gb__json *j) {
    gb_buf b = {0};
    if (!gb__take(j, '"')) j->bad = 1;
    while (!j->bad) {
        if (j->p == j->end || *j->p < 0x20) { j->bad = 1; break; }
        uint8_t c = *j->p++;
        if (c == '"') break;
        if (c != '\\') { gb_putc(&b, c); continue; }
        if (j->p == j->end) { j->bad = 1; break; }
        c = *j->p++;
        if (c != 'u') {
            static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
            size_t i = 0;
            while (from[i] && from[i] != (char)c) i++;
            if (!from[i]) j->bad = 1; else gb_putc(&b, (uint8_t)to[i]);
            continue;
        }
        uint32_t r = gb__hex4(j);
        if (r >= 0xD800 && r < 0xDC00 && j->end - j->p >= 6 && j->p[0] == '\\' && j->p[1] == 'u') {
            const uint8_t *back = j->p;
            j->p += 2;
            uint32_t low = gb__hex4(j);
            if (low >= 0xDC00 && low < 0xE000) r = 0x10000 + ((r - 0xD800) << 10) + (low - 0xDC00); else j->p = back;
        }
        gb__put_rune(&b, r >= 0xD800 && r < 0xE000 ? 0xFFFD : r);
    }
    return gb_view(&b);
}

static int64_t gb__int(gb__json *j) {
    gb__blank(j);
    int minus = j->p < j->end && *j->p == '-';
    if (minus) j->p++;
    int64_t n = 0;
    if (j->p == j->end || *j->p < '0' || *j->p > '9') j->bad = 1;
    while (j->p < j->end && *j->p >= '0' && *j->p <= '9') {
        int64_t d = *j->p++ - '0';
        if (n > (INT64_MAX - d) / 10) { j->bad = 1; return 0; }
        n = n * 10 + d;
    }
    if (j->p < j->end && (*j->p == '.' || *j->p == 'e' || *j->p == 'E')) j->bad = 1;
    return minus ? -n : n;
}

/* Pass over one value of any kind: a key of a later version. */
static void gb__skip(gb__json *j, int depth) {
    gb__blank(j);
    if (depth > 64 || j->p == j->end) { j->bad = 1; return; }
    if (*j->p == '"') { gb__string(j); return; }
    if (*j->p == '{' || *j->p == '[') {
        uint8_t open = *j->p++, close = open == '{' ? '}' : ']';
        if (gb__take(j, close)) return;
        do {
            if (open == '{') { gb__string(j); if (!gb__take(j, ':')) j->bad = 1; }
            gb__skip(j, depth + 1);
        } while (!j->bad && gb__take(j, ','));
        if (!gb__take(j, close)) j->bad = 1;
        return;
    }
    const uint8_t *from = j->p; /* a number, true, false, null */
    while (j->p < j->end && ((*j->p >= '0' && *j->p <= '9') || (*j->p >= 'a' && *j->p <= 'z') || *j->p == '-' || *j->p == '+' || *j->p == '.' || *j->p == 'E')) j->p++;
    if (j->p == from) j->bad = 1;
}

/* Walk the pairs of an object: the next key, or an empty one at the end. *first starts as 1. */
static gb_bytes gb__pair(gb__json *j, int *first) {
    gb_bytes none = {0};
    if (*first ? !gb__take(j, '{') : 0) { j->bad = 1; return none; }
    if (gb__take(j, '}')) return none;
    if (!*first && !gb__take(j, ',')) { j->bad = 1; return none; }
    *first = 0;
    gb_bytes key = gb__string(j);
    if (!gb__take(j, ':')) j->bad = 1;
    if (!key.len) { gb__skip(j, 0); return gb__pair(j, first); }
    return j->bad ? none : key;
}

static void gb__ranges(gb__json *j, gb_request *q) {
    gb_buf b = {0};
    if (!gb__take(j, '[')) { j->bad = 1; return; }
    if (gb__take(j, ']')) return;
    do {
        gb_range r = {0, 0};
        int first = 1;
        for (gb_bytes k = gb__pair(j, &first); k.len; k = gb__pair(j, &first)) {
            if (gb_equal(k, "from")) r.from = gb__int(j);
            else if (gb_equal(k, "to")) r.to = gb__int(j);
            else gb__skip(j, 0);
        }
        gb_bytes one = {(const uint8_t *)&r, sizeof r};
        gb_put(&b, one);
        q->units_len++;
    } while (!j->bad && gb__take(j, ','));
    if (!gb__take(j, ']')) j->bad = 1;
    q->units = (gb_range *)(void *)b.ptr;
}

static void gb__child_path(gb__json *j, gb_request *q) {
    gb_buf b = {0};
    if (!gb__take(j, '[')) { j->bad = 1; return; }
    if (gb__take(j, ']')) return;
    do {
        int64_t n = gb__int(j);
        gb_bytes one = {(const uint8_t *)&n, sizeof n};
        gb_put(&b, one);
        q->child_len++;
    } while (!j->bad && gb__take(j, ','));
    if (!gb__take(j, ']')) j->bad = 1;
    q->child = (int64_t *)(void *)b.ptr;
}

static void gb__start(gb__json *j, gb_request *q) {
    int first = 1;
    for (gb_bytes k = gb__pair(j, &first); k.len; k = gb__pair(j, &first)) {
        if (gb_equal(k, "at")) q->start_at = gb__int(j);
        else if (gb_equal(k, "part")) q->start_part = gb__int(j);
        else if (gb_equal(k, "offset")) q->start_offset = gb__int(j);
        else gb__skip(j, 0);
    }
}

static int gb__bool(gb__json *j) {
    gb__blank(j);
    int yes = j->p < j->end && *j->p == 't';
    gb__skip(j, 0);
    return yes;
}

/* Read the request's JSON. Keys that are not known are passed over. Non-zero: it is no request. */
GB__API int gb_parse_request(gb_bytes json, gb_request *q) {
    gb__json j = {json.ptr, json.ptr + json.len, 0};
    gb_request zero = {0};
    *q = zero;
    int first = 1;
    for (gb_bytes k = gb__pair(&j, &first); k.len; k = gb__pair(&j, &first)) {
        struct { const char *key; int64_t *to; } ints[] = {
            {"v", &q->v}, {"max_tokens", &q->max_tokens}, {"max_bytes", &q->max_bytes}, {"max_pixels", &q->max_pixels}, {"max_side", &q->max_side},
            {"max_frames", &q->max_frames}, {"max_total_pixels", &q->max_total_pixels}, {"max_edge", &q->max_edge},
            {"max_file_bytes", &q->max_file_bytes},
        };
        struct { const char *key; gb_bytes *to; } strings[] = {{"media_type", &q->media_type}, {"name", &q->name}, {"form", &q->form}, {"password", &q->password}};
        int done = 0;
        for (size_t i = 0; i < sizeof ints / sizeof *ints && !done; i++)
            if ((done = gb_equal(k, ints[i].key))) *ints[i].to = gb__int(&j);
        for (size_t i = 0; i < sizeof strings / sizeof *strings && !done; i++)
            if ((done = gb_equal(k, strings[i].key))) *strings[i].to = gb__string(&j);
        if (done) continue;
        if (gb_equal(k, "units")) gb__ranges(&j, q);
        else if (gb_equal(k, "start")) gb__start(&j, q);
        else if (gb_equal(k, "child")) gb__child_path(&j, q);
        else if (gb_equal(k, "unescaped")) q->unescaped = gb__bool(&j);
        else gb__skip(&j, 0);
    }
    gb__blank(&j);
    return j.bad || j.p != j.end;
}

/* ---- errors ---- */

/* End the decode with an error; code is one that a guest may report. detail and limit are literals; limit may be NULL. */
GB__API int gb_fail(gb_call *c, const char *code, const char *detail, const char *limit, int64_t value, int64_t actual) {
    if (c->status == GB_OK || c->status == GB_FULL) {
        c->status = GB_FAILED;
        c->code = code;
        c->detail = detail;
        c->limit = limit;
        c->value = value;
        c->actual = actual;
    }
    return c->status;
}

GB__API int gb_malformed(gb_call *c, const char *detail) { return gb_fail(c, "malformed_input", detail, 0, 0, 0); }
GB__API int gb_invalid(gb_call *c, const char *detail) { return gb_fail(c, "invalid_request", detail, 0, 0, 0); }
GB__API int gb_unsupported(gb_call *c, const char *feature) { return gb_fail(c, "unsupported_feature", feature, 0, 0, 0); }
GB__API int gb_encrypted(gb_call *c, const char *detail) { return gb_fail(c, "encrypted", detail, 0, 0, 0); }

/* A limit_* code, the limit's name as in the request's JSON, its value and what the file asks for. */
GB__API int gb_over(gb_call *c, const char *code, const char *limit, int64_t value, int64_t actual) { return gb_fail(c, code, "", limit, value, actual); }

/* ---- input and log ---- */

/* Read up to len bytes from off to dst; *got is how many, less than len only at the file's end. */
GB__API int gb_input(gb_call *c, int64_t off, void *dst, size_t len, size_t *got) {
    *got = 0;
    while (!c->status && *got < len && off < c->input_len) {
        size_t want = len - *got > 1u << 30 ? 1u << 30 : len - *got;
        int32_t n = gb__input_read(off, (uint8_t *)dst + *got, (uint32_t)want);
        if (n <= 0 || (size_t)n > want) return gb_malformed(c, "the input cannot be read");
        *got += (size_t)n;
        off += n;
    }
    return c->status;
}

/* The whole input, in memory of gb_alloc. For files that need it whole; a decoder of large ones reads by ranges. */
GB__API int gb_input_all(gb_call *c, gb_bytes *out) {
    gb_bytes none = {0};
    *out = none;
    if (c->input_len < 0 || c->input_len > UINT32_MAX / 2) return gb_over(c, "limit_memory", "max_memory_bytes", UINT32_MAX / 2, c->input_len);
    uint8_t *p = gb_alloc((size_t)c->input_len);
    size_t got;
    if (gb_input(c, 0, p, (size_t)c->input_len, &got)) return c->status;
    out->ptr = p;
    out->len = got;
    return GB_OK;
}

/* A line for the host's log. */
GB__API void gb_log(int level, const char *line) { gb__log((uint32_t)level, line, (uint32_t)gb_strlen(line)); }

/* ---- frames ---- */

/* Emit a frame: header is a JSON object, body the raw bytes behind it. */
GB__API int gb_emit(gb_call *c, uint32_t kind, gb_bytes header, gb_bytes body) {
    if (c->status) return c->status;
    gb_buf b = {0};
    gb_reserve(&b, 4 + header.len + body.len);
    for (int i = 0; i < 4; i++) gb_putc(&b, (uint8_t)(header.len >> 8 * i));
    gb_put(&b, header);
    gb_put(&b, body);
    if (gb__emit(kind, b.ptr, (uint32_t)b.len)) c->status = GB_STOP;
    return c->status;
}

static int gb__emit_head(gb_call *c, uint32_t kind, gb_buf *h, gb_bytes body) {
    gb_putc(h, '}');
    if (kind == GB_TEXT || kind == GB_IMAGE || kind == GB_DATA) c->frames++;
    return gb_emit(c, kind, gb_view(h), body);
}

/* Facts about the whole file: a JSON object. */
GB__API int gb_meta(gb_call *c, gb_bytes object) { gb_bytes none = {0}; return gb_emit(c, GB_META, object, none); }

/* More than these in one answer are more than the protocol allows, with room for what is still to come. */
enum { GB__MOST_PARTS = (1 << 16) - 16, GB__MOST_WARNINGS = (1 << 10) - 16 };

/* A warning; at is its unit, 0 for the file. Behind the first thousand of an answer they are only counted. */
GB__API int gb_warn(gb_call *c, const char *code, const char *detail, int64_t at) {
    gb_buf h = {0};
    gb_bytes none = {0};
    if (c->status || ++c->warnings > GB__MOST_WARNINGS) return c->status;
    gb_putc(&h, '{');
    gb_json_str(&h, "code", code);
    if (*detail) gb_json_str(&h, "detail", detail);
    if (at) gb_json_int(&h, "at", at);
    return gb__emit_head(c, GB_WARNING, &h, none);
}

/* List a file inside the file. */
GB__API int gb_child(gb_call *c, int64_t n, gb_bytes name, gb_bytes media_type, int64_t bytes) {
    gb_buf h = {0};
    gb_bytes none = {0};
    gb_putc(&h, '{');
    gb_json_int(&h, "n", n);
    gb_json_key(&h, "name");
    gb_json_string(&h, name);
    gb_json_key(&h, "media_type");
    gb_json_string(&h, media_type);
    gb_json_int(&h, "bytes", bytes);
    return gb__emit_head(c, GB_CHILD, &h, none);
}

/* ---- units ---- */

/* How many units the file has; at_least: this is only a lower bound. */
GB__API void gb_total(gb_call *c, int64_t n, int at_least) { c->total = n; c->at_least = at_least; }

/* The first selected unit at or behind at; 0: there is none. */
GB__API int64_t gb_selected(const gb_request *q, int64_t at) {
    if (!q->units_len) return at < 1 ? 1 : at;
    for (size_t i = 0; i < q->units_len; i++)
        if (!q->units[i].to || q->units[i].to >= at) return q->units[i].from > at ? q->units[i].from : at;
    return 0;
}

/* Say that the file has total units, and begin to walk the selected ones with gb_next. A selection beyond total is invalid_request. */
GB__API int gb_units(gb_call *c, int64_t total) {
    gb_request *q = &c->req;
    gb_total(c, total, 0);
    for (size_t i = 0; i < q->units_len && !c->status; i++) {
        gb_range r = q->units[i];
        if (r.from <= total && r.to <= total) continue;
        gb_puts(&c->said, "the last unit of the file is ");
        gb_puti(&c->said, total);
        gb_putc(&c->said, 0);
        gb_fail(c, "invalid_request", (const char *)c->said.ptr, "units", total, r.from > r.to ? r.from : r.to);
    }
    if (q->start_at > total && q->start_at > 1) gb_invalid(c, "the start lies behind the last unit");
    return c->status;
}

/* The next selected unit, 0 when there is none or the decode is to end. */
GB__API int64_t gb_next(gb_call *c) {
    if (c->status) return 0;
    int64_t from = c->walked ? c->walked + 1 : c->req.start_at;
    int64_t at = gb_selected(&c->req, from < 1 ? 1 : from);
    if (at > c->total) at = 0;
    if (at) c->walked = at;
    return at;
}

/* ---- budgets: what a text costs as it leaves ---- */

/* The character that ends at end, and its length. */
static size_t gb__last(gb_bytes s, size_t end, uint32_t *r) {
    size_t n = 1;
    while (n < 4 && n < end && (s.ptr[end - n] & 0xC0) == 0x80) n++;
    gb_bytes one = {s.ptr + end - n, n};
    gb_rune(one, r);
    return n;
}

static uint32_t gb__before(gb_bytes s, size_t i) { /* 0 at the beginning */
    uint32_t r = 0;
    if (i) gb__last(s, i, &r);
    return r;
}

static int gb__in(uint32_t r, uint32_t from, uint32_t to) { return r >= from && r <= to; }

/* Characters above the controls that are not seen. */
static int gb__unseen(uint32_t r) {
    return r == 0xAD || r == 0x61C || r == 0x180E || gb__in(r, 0x200B, 0x200F) || gb__in(r, 0x2028, 0x202E) || gb__in(r, 0x2060, 0x206F) ||
           r == 0x3164 || r == 0xFEFF || r == 0xFFA0 || gb__in(r, 0xFFF9, 0xFFFB) || gb__in(r, 0x1D173, 0x1D17A) || gb__in(r, 0xE0000, 0xE01EF) ||
           gb__in(r, 0xF0000, 0xFFFFD) || gb__in(r, 0x100000, 0x10FFFD);
}

/* What the host escapes where a character stands alone: controls, bidirectional and invisible format characters, tags. */
GB__API int gb_hidden(uint32_t r) {
    if (r == '\t' || r == '\n' || r == '\r' || r == 0x200D) return 0;
    return r < 0x20 || gb__in(r, 0x7F, 0x9F) || gb__unseen(r);
}

static int gb__ideograph(uint32_t r) {
    return gb__in(r, 0x3400, 0x9FFF) || gb__in(r, 0xF900, 0xFAFF) || gb__in(r, 0x20000, 0x3FFFF) || r == 0x3005 || r == 0x3007;
}

static int gb__emoji(uint32_t r) {
    return gb__in(r, 0x2190, 0x2BFF) || gb__in(r, 0x1F000, 0x1FAFF) || r == 0xA9 || r == 0xAE || r == 0x203C || r == 0x2049 || r == 0x2122 ||
           r == 0x2139 || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299;
}

static int gb__joining(uint32_t r) { /* letters of scripts that join: Arabic and its kin, those of India, Mongolian */
    return gb__in(r, 0x620, 0x65F) || gb__in(r, 0x66E, 0x8FE) || gb__in(r, 0x900, 0xDFF) || gb__in(r, 0xF00, 0x109F) || gb__in(r, 0x1780, 0x17FF) ||
           gb__in(r, 0x1820, 0x18AF) || gb__in(r, 0xFB50, 0xFDFF) || gb__in(r, 0xFE70, 0xFEFE);
}

static int gb__has_variants(uint32_t r, uint32_t selector) {
    if (gb__in(r, '0', '9') || r == '#' || r == '*') return selector == 0xFE0F || selector == 0xFE0E || (r == '0' && selector == 0xFE00);
    return gb__emoji(r) || gb__ideograph(r) || gb__in(r, 0x1000, 0x109F) || gb__in(r, 0x2010, 0x2027) || gb__in(r, 0x2030, 0x205F) ||
           gb__in(r, 0x2070, 0x218F) || gb__in(r, 0x3001, 0x3003) || gb__in(r, 0xA840, 0xA87F) || gb__in(r, 0xFF01, 0xFF9F);
}

/* A letter of a right-to-left script stands before i, near, in the line, and nothing hidden between. */
static int gb__right_to_left(gb_bytes s, size_t i) {
    for (int k = 0; k < 32 && i; k++) {
        uint32_t r;
        i -= gb__last(s, i, &r);
        if (gb__in(r, 0x5BE, 0x61B) || gb__in(r, 0x620, 0x8FE) || gb__in(r, 0xFB1D, 0xFDFF) || gb__in(r, 0xFE70, 0xFEFE) ||
            gb__in(r, 0x10800, 0x10FFF) || gb__in(r, 0x1E800, 0x1EFFF)) return 1;
        if (r == '\n' || r == '\r' || r == 0x200D || r == 0xFFFD || gb_hidden(r) || gb__in(r, 0xFE00, 0xFE0F)) return 0;
    }
    return 0;
}

/* r is the next tag of one of the three flags that are spelt with tags: England, Scotland, Wales. */
static int gb__flag_tag(gb_bytes s, size_t i, uint32_t r) {
    static const char flags[3][7] = {"gbeng\x7F", "gbsct\x7F", "gbwls\x7F"};
    uint8_t spelt[6];
    size_t at = 5;
    uint32_t prev = 0;
    for (spelt[at] = (uint8_t)r; i;) {
        i -= gb__last(s, i, &prev);
        if (prev == 0x1F3F4) break;
        if (!gb__in(prev, 0xE0020, 0xE007F) || !at) return 0;
        spelt[--at] = (uint8_t)prev;
    }
    if (prev != 0x1F3F4) return 0;
    for (int f = 0; f < 3; f++) {
        size_t k = 0;
        while (k < 6 - at && (uint8_t)flags[f][k] == (spelt[at + k] & 0x7F)) k++;
        if (k == 6 - at) return 1;
    }
    return 0;
}

/* What the host escapes of s at i, where a character begins. What stands before it decides: a joiner behind a letter that joins, a soft hyphen
 * behind a letter and the like are ordinary. The rules are those of HiddenAt in package readapi. */
GB__API int gb_hidden_at(gb_bytes s, size_t i) {
    gb_bytes rest = {s.ptr + i, s.len - i};
    uint32_t r, prev;
    gb_rune(rest, &r);
    if (gb__in(r, 0x20, 0x7E) || r == '\t' || r == '\n' || r == '\r') return 0;
    if (r == '\f') return i > 0 && s.ptr[i - 1] != '\n' && s.ptr[i - 1] != '\r';
    if (r < 0xA0) return 1;
    prev = gb__before(s, i);
    if (gb__in(r, 0xFE00, 0xFE0F)) return !gb__has_variants(prev, r);
    if (!gb__unseen(r)) return 0;
    if (r == 0xAD) return !(gb__in(prev, 'a', 'z') || gb__in(prev, 'A', 'Z') || gb__in(prev, 0xC0, 0x1FFF));
    if (r == 0x200B)
        return !(gb__in(prev, 0xE00, 0x109F) || gb__in(prev, 0x1780, 0x17FF) || gb__in(prev, 0x1950, 0x1AAF) || gb__in(prev, 0x3040, 0x30FF) ||
                 gb__ideograph(prev));
    if (r == 0x200C) return !gb__joining(prev);
    if (r == 0x200D) return !gb__joining(prev) && !gb__emoji(prev) && !(prev == 0xFE0F && gb__emoji(gb__before(s, i - 3)));
    if (r == 0x200E || r == 0x200F || r == 0x61C) return !gb__right_to_left(s, i);
    if (gb__in(r, 0xE0020, 0xE007F)) return !gb__flag_tag(s, i, r);
    if (gb__in(r, 0xE0100, 0xE01EF)) return !gb__ideograph(prev);
    return 1;
}

/* What the character at i costs, in quarters of a token and in bytes; its length comes back. */
static size_t gb__rune_cost(gb_bytes s, size_t i, int escaped, int64_t *quarters, int64_t *bytes) {
    gb_bytes rest = {s.ptr + i, s.len - i};
    uint32_t r;
    size_t n = gb_rune(rest, &r);
    *bytes = (int64_t)n;
    *quarters = r < 0x80 ? 1 : r < 0x800 ? 2 : 4;
    if (escaped && gb_hidden_at(s, i)) { /* \u{HEX} */
        int64_t k = 5;
        for (uint32_t v = r >> 4; v; v >>= 4) k++;
        *quarters = *bytes = k;
    }
    return n;
}

static int gb__escaped(const gb_call *c) { return !gb_equal(c->req.form, "source") && !c->req.unescaped; }

static void gb__cost(const gb_call *c, gb_bytes s, int64_t *tokens, int64_t *bytes) {
    int64_t quarters = 0;
    *bytes = 0;
    int escaped = gb__escaped(c);
    for (size_t i = 0; i < s.len;) {
        int64_t q, n;
        i += gb__rune_cost(s, i, escaped, &q, &n);
        quarters += q;
        *bytes += n;
    }
    *tokens = (quarters + 3) / 4;
}

static int gb__fits(const gb_call *c, int64_t tokens, int64_t bytes) {
    const gb_request *q = &c->req;
    return (q->max_tokens <= 0 || c->tokens + tokens <= q->max_tokens) && (q->max_bytes <= 0 || c->bytes + bytes <= q->max_bytes);
}

static void gb__spend(gb_call *c, int64_t tokens, int64_t bytes) {
    c->tokens += tokens;
    c->bytes += bytes;
    c->parts++;
}

/* Marks that belong to the character before them: the general category M of Unicode 15.0, in runs. */
static const uint32_t gb__marks[] = {
    0x300, 0x36F, 0x483, 0x489, 0x591, 0x5BD, 0x5BF, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7, 0x5C7, 0x610, 0x61A, 0x64B, 0x65F,
    0x670, 0x670, 0x6D6, 0x6DC, 0x6DF, 0x6E4, 0x6E7, 0x6E8, 0x6EA, 0x6ED, 0x711, 0x711, 0x730, 0x74A, 0x7A6, 0x7B0, 0x7EB, 0x7F3,
    0x7FD, 0x7FD, 0x816, 0x819, 0x81B, 0x823, 0x825, 0x827, 0x829, 0x82D, 0x859, 0x85B, 0x898, 0x89F, 0x8CA, 0x8E1, 0x8E3, 0x903,
    0x93A, 0x93C, 0x93E, 0x94F, 0x951, 0x957, 0x962, 0x963, 0x981, 0x983, 0x9BC, 0x9BC, 0x9BE, 0x9C4, 0x9C7, 0x9C8, 0x9CB, 0x9CD,
    0x9D7, 0x9D7, 0x9E2, 0x9E3, 0x9FE, 0x9FE, 0xA01, 0xA03, 0xA3C, 0xA3C, 0xA3E, 0xA42, 0xA47, 0xA48, 0xA4B, 0xA4D, 0xA51, 0xA51,
    0xA70, 0xA71, 0xA75, 0xA75, 0xA81, 0xA83, 0xABC, 0xABC, 0xABE, 0xAC5, 0xAC7, 0xAC9, 0xACB, 0xACD, 0xAE2, 0xAE3, 0xAFA, 0xAFF,
    0xB01, 0xB03, 0xB3C, 0xB3C, 0xB3E, 0xB44, 0xB47, 0xB48, 0xB4B, 0xB4D, 0xB55, 0xB57, 0xB62, 0xB63, 0xB82, 0xB82, 0xBBE, 0xBC2,
    0xBC6, 0xBC8, 0xBCA, 0xBCD, 0xBD7, 0xBD7, 0xC00, 0xC04, 0xC3C, 0xC3C, 0xC3E, 0xC44, 0xC46, 0xC48, 0xC4A, 0xC4D, 0xC55, 0xC56,
    0xC62, 0xC63, 0xC81, 0xC83, 0xCBC, 0xCBC, 0xCBE, 0xCC4, 0xCC6, 0xCC8, 0xCCA, 0xCCD, 0xCD5, 0xCD6, 0xCE2, 0xCE3, 0xCF3, 0xCF3,
    0xD00, 0xD03, 0xD3B, 0xD3C, 0xD3E, 0xD44, 0xD46, 0xD48, 0xD4A, 0xD4D, 0xD57, 0xD57, 0xD62, 0xD63, 0xD81, 0xD83, 0xDCA, 0xDCA,
    0xDCF, 0xDD4, 0xDD6, 0xDD6, 0xDD8, 0xDDF, 0xDF2, 0xDF3, 0xE31, 0xE31, 0xE34, 0xE3A, 0xE47, 0xE4E, 0xEB1, 0xEB1, 0xEB4, 0xEBC,
    0xEC8, 0xECE, 0xF18, 0xF19, 0xF35, 0xF35, 0xF37, 0xF37, 0xF39, 0xF39, 0xF3E, 0xF3F, 0xF71, 0xF84, 0xF86, 0xF87, 0xF8D, 0xF97,
    0xF99, 0xFBC, 0xFC6, 0xFC6, 0x102B, 0x103E, 0x1056, 0x1059, 0x105E, 0x1060, 0x1062, 0x1064, 0x1067, 0x106D, 0x1071, 0x1074,
    0x1082, 0x108D, 0x108F, 0x108F, 0x109A, 0x109D, 0x135D, 0x135F, 0x1712, 0x1715, 0x1732, 0x1734, 0x1752, 0x1753, 0x1772, 0x1773,
    0x17B4, 0x17D3, 0x17DD, 0x17DD, 0x180B, 0x180D, 0x180F, 0x180F, 0x1885, 0x1886, 0x18A9, 0x18A9, 0x1920, 0x192B, 0x1930, 0x193B,
    0x1A17, 0x1A1B, 0x1A55, 0x1A5E, 0x1A60, 0x1A7C, 0x1A7F, 0x1A7F, 0x1AB0, 0x1ACE, 0x1B00, 0x1B04, 0x1B34, 0x1B44, 0x1B6B, 0x1B73,
    0x1B80, 0x1B82, 0x1BA1, 0x1BAD, 0x1BE6, 0x1BF3, 0x1C24, 0x1C37, 0x1CD0, 0x1CD2, 0x1CD4, 0x1CE8, 0x1CED, 0x1CED, 0x1CF4, 0x1CF4,
    0x1CF7, 0x1CF9, 0x1DC0, 0x1DFF, 0x20D0, 0x20F0, 0x2CEF, 0x2CF1, 0x2D7F, 0x2D7F, 0x2DE0, 0x2DFF, 0x302A, 0x302F, 0x3099, 0x309A,
    0xA66F, 0xA672, 0xA674, 0xA67D, 0xA69E, 0xA69F, 0xA6F0, 0xA6F1, 0xA802, 0xA802, 0xA806, 0xA806, 0xA80B, 0xA80B, 0xA823, 0xA827,
    0xA82C, 0xA82C, 0xA880, 0xA881, 0xA8B4, 0xA8C5, 0xA8E0, 0xA8F1, 0xA8FF, 0xA8FF, 0xA926, 0xA92D, 0xA947, 0xA953, 0xA980, 0xA983,
    0xA9B3, 0xA9C0, 0xA9E5, 0xA9E5, 0xAA29, 0xAA36, 0xAA43, 0xAA43, 0xAA4C, 0xAA4D, 0xAA7B, 0xAA7D, 0xAAB0, 0xAAB0, 0xAAB2, 0xAAB4,
    0xAAB7, 0xAAB8, 0xAABE, 0xAABF, 0xAAC1, 0xAAC1, 0xAAEB, 0xAAEF, 0xAAF5, 0xAAF6, 0xABE3, 0xABEA, 0xABEC, 0xABED, 0xFB1E, 0xFB1E,
    0xFE00, 0xFE0F, 0xFE20, 0xFE2F, 0x101FD, 0x101FD, 0x102E0, 0x102E0, 0x10376, 0x1037A, 0x10A01, 0x10A03, 0x10A05, 0x10A06,
    0x10A0C, 0x10A0F, 0x10A38, 0x10A3A, 0x10A3F, 0x10A3F, 0x10AE5, 0x10AE6, 0x10D24, 0x10D27, 0x10EAB, 0x10EAC, 0x10EFD, 0x10EFF,
    0x10F46, 0x10F50, 0x10F82, 0x10F85, 0x11000, 0x11002, 0x11038, 0x11046, 0x11070, 0x11070, 0x11073, 0x11074, 0x1107F, 0x11082,
    0x110B0, 0x110BA, 0x110C2, 0x110C2, 0x11100, 0x11102, 0x11127, 0x11134, 0x11145, 0x11146, 0x11173, 0x11173, 0x11180, 0x11182,
    0x111B3, 0x111C0, 0x111C9, 0x111CC, 0x111CE, 0x111CF, 0x1122C, 0x11237, 0x1123E, 0x1123E, 0x11241, 0x11241, 0x112DF, 0x112EA,
    0x11300, 0x11303, 0x1133B, 0x1133C, 0x1133E, 0x11344, 0x11347, 0x11348, 0x1134B, 0x1134D, 0x11357, 0x11357, 0x11362, 0x11363,
    0x11366, 0x1136C, 0x11370, 0x11374, 0x11435, 0x11446, 0x1145E, 0x1145E, 0x114B0, 0x114C3, 0x115AF, 0x115B5, 0x115B8, 0x115C0,
    0x115DC, 0x115DD, 0x11630, 0x11640, 0x116AB, 0x116B7, 0x1171D, 0x1172B, 0x1182C, 0x1183A, 0x11930, 0x11935, 0x11937, 0x11938,
    0x1193B, 0x1193E, 0x11940, 0x11940, 0x11942, 0x11943, 0x119D1, 0x119D7, 0x119DA, 0x119E0, 0x119E4, 0x119E4, 0x11A01, 0x11A0A,
    0x11A33, 0x11A39, 0x11A3B, 0x11A3E, 0x11A47, 0x11A47, 0x11A51, 0x11A5B, 0x11A8A, 0x11A99, 0x11C2F, 0x11C36, 0x11C38, 0x11C3F,
    0x11C92, 0x11CA7, 0x11CA9, 0x11CB6, 0x11D31, 0x11D36, 0x11D3A, 0x11D3A, 0x11D3C, 0x11D3D, 0x11D3F, 0x11D45, 0x11D47, 0x11D47,
    0x11D8A, 0x11D8E, 0x11D90, 0x11D91, 0x11D93, 0x11D97, 0x11EF3, 0x11EF6, 0x11F00, 0x11F01, 0x11F03, 0x11F03, 0x11F34, 0x11F3A,
    0x11F3E, 0x11F42, 0x13440, 0x13440, 0x13447, 0x13455, 0x16AF0, 0x16AF4, 0x16B30, 0x16B36, 0x16F4F, 0x16F4F, 0x16F51, 0x16F87,
    0x16F8F, 0x16F92, 0x16FE4, 0x16FE4, 0x16FF0, 0x16FF1, 0x1BC9D, 0x1BC9E, 0x1CF00, 0x1CF2D, 0x1CF30, 0x1CF46, 0x1D165, 0x1D169,
    0x1D16D, 0x1D172, 0x1D17B, 0x1D182, 0x1D185, 0x1D18B, 0x1D1AA, 0x1D1AD, 0x1D242, 0x1D244, 0x1DA00, 0x1DA36, 0x1DA3B, 0x1DA6C,
    0x1DA75, 0x1DA75, 0x1DA84, 0x1DA84, 0x1DA9B, 0x1DA9F, 0x1DAA1, 0x1DAAF, 0x1E000, 0x1E006, 0x1E008, 0x1E018, 0x1E01B, 0x1E021,
    0x1E023, 0x1E024, 0x1E026, 0x1E02A, 0x1E08F, 0x1E08F, 0x1E130, 0x1E136, 0x1E2AE, 0x1E2AE, 0x1E2EC, 0x1E2EF, 0x1E4EC, 0x1E4EF,
    0x1E8D0, 0x1E8D6, 0x1E944, 0x1E94A, 0xE0100, 0xE01EF,
};

static int gb__extends(uint32_t r) { /* belongs to what stands before it */
    size_t low = 0, high = sizeof gb__marks / sizeof gb__marks[0] / 2;
    if (r == 0x200C || r == 0x200D || r == 0xE33 || r == 0xEB3 || r == 0xFF9E || r == 0xFF9F || gb__in(r, 0x1F3FB, 0x1F3FF) ||
        gb__in(r, 0xE0020, 0xE007F)) return 1;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (r > gb__marks[2 * mid + 1]) low = mid + 1;
        else if (r < gb__marks[2 * mid]) high = mid;
        else return 1;
    }
    return 0;
}

static int gb__prepended(uint32_t r) { /* belongs to what stands behind it */
    return gb__in(r, 0x600, 0x605) || r == 0x6DD || r == 0x70F || r == 0x890 || r == 0x891 || r == 0x8E2 || r == 0xD4E || r == 0x110BD ||
           r == 0x110CD || r == 0x111C2 || r == 0x111C3 || r == 0x113D1 || r == 0x1193F || r == 0x11941 || gb__in(r, 0x11A3A, 0x11A3F) ||
           gb__in(r, 0x11A84, 0x11A89) || r == 0x11D46 || r == 0x11F02;
}

static int gb__hangul_join(uint32_t a, uint32_t b) { /* parts of one syllable (UAX #29, GB6 to GB8) */
    int lead_b = gb__in(b, 0x1100, 0x115F) || gb__in(b, 0xA960, 0xA97C), vowel_b = gb__in(b, 0x1160, 0x11A7) || gb__in(b, 0xD7B0, 0xD7C6);
    int tail_b = gb__in(b, 0x11A8, 0x11FF) || gb__in(b, 0xD7CB, 0xD7FB), syllable_a = gb__in(a, 0xAC00, 0xD7A3);
    if (gb__in(a, 0x1100, 0x115F) || gb__in(a, 0xA960, 0xA97C)) return lead_b || vowel_b || gb__in(b, 0xAC00, 0xD7A3);
    if (gb__in(a, 0x1160, 0x11A7) || gb__in(a, 0xD7B0, 0xD7C6) || (syllable_a && (a - 0xAC00) % 28 == 0)) return vowel_b || tail_b;
    return (syllable_a || gb__in(a, 0x11A8, 0x11FF) || gb__in(a, 0xD7CB, 0xD7FB)) && tail_b;
}

/* The last of the marks that end at end, or one of those before it, is a virama, which joins two consonants. */
static int gb__conjunct(gb_bytes s, size_t end) {
    static const uint32_t viramas[] = {0x94D, 0x9CD, 0xACD, 0xB4D, 0xC4D, 0xD4D, 0x1039, 0x17D2, 0x1A60, 0x1B44, 0x1BAB, 0xA9C0, 0xAAF6,
        0x10A3F, 0x11133, 0x113D0, 0x1193E, 0x11A47, 0x11A99, 0x11F42};
    for (int k = 0; k < 8 && end; k++) {
        uint32_t a;
        end -= gb__last(s, end, &a);
        for (size_t i = 0; i < sizeof viramas / sizeof viramas[0]; i++)
            if (a == viramas[i]) return 1;
        if (!gb__extends(a)) return 0;
    }
    return 0;
}

/* s may be cut at at, which is neither its beginning nor its end: no accent, joined emoji, flag, syllable or CRLF is taken apart. */
static int gb__border(gb_bytes s, size_t at) {
    gb_bytes rest = {s.ptr + at, s.len - at};
    uint32_t a = gb__before(s, at), b, r;
    gb_rune(rest, &b);
    if (a == '\r' && b == '\n') return 0;
    if (a < 0x20 || b < 0x20) return 1;
    if (a < 0x300 && b < 0x300) return a != 0xAD;
    if (gb__extends(b) || a == 0x200D || gb__prepended(a)) return 0;
    if (gb__in(a, 0x1F1E6, 0x1F1FF) && gb__in(b, 0x1F1E6, 0x1F1FF)) { /* flags are pairs */
        int n = 0;
        for (size_t i = at; i && n < 256; n++) {
            size_t k = gb__last(s, i, &r);
            if (!gb__in(r, 0x1F1E6, 0x1F1FF)) break;
            i -= k;
        }
        return n % 2 == 0;
    }
    if (gb__hangul_join(a, b)) return 0;
    return b < 0x900 || !gb__conjunct(s, at);
}

/* The last place at or before n between two characters as a reader sees them; 0 when the first is longer than n, but where 1 KiB holds no
 * such place it is the last one between two code points. */
static size_t gb__cut_grapheme(gb_bytes s, size_t n) {
    uint32_t r;
    if (n >= s.len) return s.len;
    while (n > 0 && (s.ptr[n] & 0xC0) == 0x80) n--;
    for (size_t at = n; at + 1024 > n; at -= gb__last(s, at, &r)) {
        if (!at) return 0;
        if (gb__border(s, at)) return at;
    }
    return n;
}

/* How much of s fits the whole budget: at least one character, ended behind a blank where there is one near, else between graphemes. */
static size_t gb__cut(const gb_call *c, gb_bytes s) {
    int64_t tokens = c->req.max_tokens, bytes = c->req.max_bytes, quarters = INT64_MAX / 4 * 4;
    int escaped = gb__escaped(c);
    size_t end = 0, at;
    uint32_t r;
    if (tokens > 0 && tokens < INT64_MAX / 4) quarters = tokens * 4;
    if (bytes <= 0) bytes = INT64_MAX;
    while (end < s.len) {
        int64_t q, n;
        size_t k = gb__rune_cost(s, end, escaped, &q, &n);
        quarters -= q;
        bytes -= n;
        if (quarters < 0 || bytes < 0) break;
        end += k;
    }
    if (end == s.len) return end;
    for (at = end; at > 0 && at + 256 > end; at--)
        if ((s.ptr[at - 1] == ' ' || s.ptr[at - 1] == '\n') && gb__cut_grapheme(s, at) == at) return at;
    if ((at = gb__cut_grapheme(s, end)) > 0) return at;
    return end ? end : gb_rune(s, &r);
}

/* ---- parts ---- */

static int gb__full(gb_call *c, int64_t offset) {
    if (!c->status) {
        c->status = GB_FULL;
        c->has_next = 1;
        c->next_at = c->at;
        c->next_part = c->part;
        c->next_offset = offset;
    }
    return c->status;
}

/* Count a part of unit at; *given: a former answer had it whole. */
static int gb__begin(gb_call *c, int64_t at, int *given) {
    *given = 0;
    if (c->status) return c->status;
    if (at == c->at) {
        c->part++;
    } else {
        c->at = at;
        c->part = 0;
        if (c->parts && (c->frames >= GB__MOST_PARTS || c->warnings >= GB__MOST_WARNINGS)) return gb__full(c, 0);
    }
    *given = at == c->req.start_at && c->part < c->req.start_part;
    return GB_OK;
}

static int gb__text(gb_call *c, int64_t at, int64_t offset, gb_bytes text, int cut) {
    gb_buf h = {0};
    int64_t tokens, bytes;
    gb__cost(c, text, &tokens, &bytes);
    gb__spend(c, tokens, bytes);
    gb_putc(&h, '{');
    gb_json_int(&h, "at", at);
    if (offset) gb_json_int(&h, "offset", offset);
    if (cut) gb_puts(&h, ",\"truncated\":true");
    return gb__emit_head(c, GB_TEXT, &h, text);
}

/* The text of unit at: valid UTF-8. What does not fit the budget goes to the next answer; a unit larger than a whole answer is cut. */
GB__API int gb_text(gb_call *c, int64_t at, gb_bytes text) {
    int given;
    if (gb__begin(c, at, &given) || given) return c->status;
    const gb_request *q = &c->req;
    int64_t skip = q->start_at == at && q->start_part == c->part ? q->start_offset : 0, tokens, bytes;
    if (skip < 0 || skip > (int64_t)text.len) return gb_invalid(c, "the start lies behind the unit's end");
    if (skip && skip < (int64_t)text.len && (text.ptr[skip] & 0xC0) == 0x80) return gb_invalid(c, "the start lies inside a character");
    text.ptr += skip;
    text.len -= (size_t)skip;
    gb__cost(c, text, &tokens, &bytes);
    if (gb__fits(c, tokens, bytes)) return gb__text(c, at, skip, text, 0);
    if (c->parts) return gb__full(c, skip);
    text.len = gb__cut(c, text);
    if (gb__text(c, at, skip, text, 1)) return c->status;
    return gb__full(c, skip + (int64_t)text.len);
}

/* A picture of unit at, "image/png" or "image/jpeg". Pictures and data are not cut: one that does not fit goes to the next answer. */
GB__API int gb_image(gb_call *c, int64_t at, const char *media_type, int64_t width, int64_t height, gb_bytes encoded) {
    const int64_t tokens = ((width + 27) / 28) * ((height + 27) / 28); /* readapi.DefaultImageCost; by another formula the host counts */
    int given;
    if (gb__begin(c, at, &given) || given) return c->status;
    if (!gb__fits(c, tokens, (int64_t)encoded.len) && c->parts) return gb__full(c, 0);
    if (c->req.max_bytes > 0 && (int64_t)encoded.len > c->req.max_bytes) return gb_over(c, "limit_output", "max_bytes", c->req.max_bytes, (int64_t)encoded.len);
    gb__spend(c, tokens, (int64_t)encoded.len);
    gb_buf h = {0};
    gb_putc(&h, '{');
    gb_json_int(&h, "at", at);
    gb_json_str(&h, "media_type", media_type);
    gb_json_int(&h, "width", width);
    gb_json_int(&h, "height", height);
    return gb__emit_head(c, GB_IMAGE, &h, encoded);
}

/* A structured part of unit at: one JSON value. */
GB__API int gb_data(gb_call *c, int64_t at, gb_bytes json) {
    int given;
    int64_t quarters = 0;
    if (gb__begin(c, at, &given) || given) return c->status;
    for (size_t i = 0; i < json.len; i++) {
        uint8_t b = json.ptr[i];
        quarters += b < 0x80 ? 1 : b < 0xC0 ? 0 : b < 0xE0 ? 2 : 4;
    }
    if (!gb__fits(c, (quarters + 3) / 4, (int64_t)json.len) && c->parts) return gb__full(c, 0);
    gb__spend(c, (quarters + 3) / 4, (int64_t)json.len);
    gb_buf h = {0};
    gb_putc(&h, '{');
    gb_json_int(&h, "at", at);
    return gb__emit_head(c, GB_DATA, &h, json);
}

/* Hand on a file inside the file, to be read by a decoder of its own type: the child that the request names (at 0), or the picture of unit
 * at, whose parts take its place there. Pictures that do not fit the answer go to the next one. max_file_bytes 0: none is wanted. */
GB__API int gb_file(gb_call *c, int64_t at, int64_t n, gb_bytes name, gb_bytes media_type, gb_bytes data) {
    enum { tokens = 2000, piece = 1 << 20 };
    int64_t size = (int64_t)data.len, most = c->req.max_file_bytes;
    if (at) {
        int given;
        if (gb__begin(c, at, &given) || given) return c->status;
        if (c->parts && (!gb__fits(c, tokens, 0) || c->files + size > most)) return gb__full(c, 0);
        gb__spend(c, tokens, 0);
    }
    if (c->status) return c->status;
    if ((c->files += size) > most) return gb_over(c, "limit_output", "max_file_bytes", most, c->files);
    do {
        gb_bytes now = {data.ptr, data.len < piece ? data.len : piece};
        data.ptr += now.len;
        data.len -= now.len;
        gb_buf h = {0};
        gb_putc(&h, '{');
        if (at) gb_json_int(&h, "at", at);
        gb_json_key(&h, "child");
        gb_putc(&h, '{');
        gb_json_int(&h, "n", n);
        gb_json_key(&h, "name");
        gb_json_string(&h, name);
        gb_json_key(&h, "media_type");
        gb_json_string(&h, media_type);
        gb_json_int(&h, "bytes", size);
        gb_putc(&h, '}');
        if (data.len) gb_puts(&h, ",\"more\":true");
        if (gb__emit_head(c, GB_FILE, &h, now)) break;
    } while (data.len);
    return c->status;
}

/* ---- exports ---- */

static void gb__end(gb_call *c) {
    gb_buf h = {0};
    gb_bytes none = {0};
    if (c->status == GB_STOP) return;
    int failed = c->status == GB_FAILED;
    c->status = GB_OK;
    if (!failed && c->warnings > GB__MOST_WARNINGS) {
        gb_buf d = {0};
        gb_puti(&d, c->warnings - GB__MOST_WARNINGS);
        gb_puts(&d, " more warnings are left out");
        gb_putc(&d, 0);
        c->warnings = 0;
        if (gb_warn(c, "partial", (const char *)d.ptr, 0)) return;
    }
    gb_putc(&h, '{');
    if (failed) {
        gb_json_str(&h, "code", c->code);
        if (*c->detail) gb_json_str(&h, "detail", c->detail);
        if (c->limit) {
            gb_puts(&h, ",\"limit\":{");
            gb_json_str(&h, "name", c->limit);
            gb_json_int(&h, "value", c->value);
            gb_json_int(&h, "actual", c->actual);
            gb_putc(&h, '}');
        }
        gb__emit_head(c, GB_ERROR, &h, none);
        return;
    }
    gb_json_int(&h, "total", c->total);
    if (c->at_least) gb_puts(&h, ",\"at_least\":true");
    if (c->has_next) {
        gb_puts(&h, ",\"next\":{");
        gb_json_int(&h, "at", c->next_at);
        if (c->next_part) gb_json_int(&h, "part", c->next_part);
        if (c->next_offset) gb_json_int(&h, "offset", c->next_offset);
        gb_putc(&h, '}');
    }
    gb__emit_head(c, GB_END, &h, none);
}

/* Take the next word of a list; an empty one at the end. */
static gb_bytes gb__word(const char **list) {
    gb_bytes w = {(const uint8_t *)*list, 0};
    while ((*list)[w.len] && (*list)[w.len] != ' ') w.len++;
    *list += w.len + ((*list)[w.len] == ' ');
    return w;
}

static void gb__list(gb_buf *h, const char *key, const char *words) {
    gb_json_key(h, key);
    gb_putc(h, '[');
    for (const char *rest = words ? words : ""; *rest;) {
        if (h->ptr[h->len - 1] != '[') gb_putc(h, ',');
        gb_json_string(h, gb__word(&rest));
    }
    gb_putc(h, ']');
}

GB__API int gb__describe(const gb_decoder *d) {
    gb_call c = {0};
    gb_buf h = {0}, body = {0};
    gb_putc(&h, '{');
    gb_json_int(&h, "abi", 1);
    gb_json_str(&h, "name", d->name);
    gb_json_str(&h, "version", d->version);
    gb__list(&h, "media_types", d->media_types);
    gb_json_str(&h, "unit", d->unit);
    gb__list(&h, "forms", d->forms);
    if (d->children) gb_puts(&h, ",\"children\":true");
    gb_json_key(&h, "samples");
    gb_putc(&h, '[');
    for (size_t i = 0; i < d->samples_len; i++) {
        gb_puts(&h, i ? ",{" : "{");
        gb_json_str(&h, "media_type", d->samples[i].media_type);
        gb_json_int(&h, "bytes", (int64_t)d->samples[i].len);
        gb_putc(&h, '}');
        gb_bytes s = {(const uint8_t *)d->samples[i].data, d->samples[i].len};
        gb_put(&body, s);
    }
    gb_putc(&h, ']');
    return gb__emit_head(&c, GB_DESCRIBE, &h, gb_view(&body)) != GB_OK;
}

GB__API int gb__decode(const gb_decoder *d) {
    gb_call c = {0};
    uint32_t n = gb__request_len();
    uint8_t *raw = gb_alloc(n);
    gb__request_read(raw);
    gb_bytes json = {raw, n};
    if (gb_parse_request(json, &c.req)) return 1;
    c.input_len = gb__input_len();
    int has = gb_equal(c.req.form, "auto");
    for (const char *rest = d->forms ? d->forms : ""; *rest && !has;) {
        gb_bytes f = gb__word(&rest);
        has = f.len == c.req.form.len;
        for (size_t i = 0; has && i < f.len; i++) has = f.ptr[i] == c.req.form.ptr[i];
    }
    if (has && c.req.child_len && !d->children) {
        gb_invalid(&c, "this decoder lists no files inside a file");
    } else if (has) {
        d->decode(&c);
    } else {
        gb_puts(&c.said, "this decoder does not have the form ");
        gb_put(&c.said, c.req.form);
        gb_putc(&c.said, 0);
        gb_invalid(&c, (const char *)c.said.ptr);
    }
    gb__end(&c);
    return 0;
}

#define GB__STRIP(...) __VA_ARGS__

/* GB_DECODER((.name = …, …)): once, in the file that has the decoder. */
#define GB_DECODER(fields)                                                              \
    static const gb_decoder gb__decoder = {GB__STRIP fields};                           \
    GB__EXPORT("glovebox_abi") int gb__export_abi(void) { return 1; }                   \
    GB__EXPORT("glovebox_describe") int gb__export_describe(void) { return gb__describe(&gb__decoder); } \
    GB__EXPORT("glovebox_decode") int gb__export_decode(void) { return gb__decode(&gb__decoder); }

#endif
