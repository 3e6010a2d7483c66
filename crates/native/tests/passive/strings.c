// Every memory and string function that the runtime stands in for, against a reference written here, on random input
// up to the very end of a page. Built with -fno-builtin; run with the runtime preloaded and no search connected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define CHECK(c) ((c) ? (void)0 : fail(#c, __LINE__))

static void fail(const char *what, int line) {
    fprintf(stderr, "strings.c:%d: %s\n", line, what);
    exit(1);
}

static uint64_t seed = 88172645463325252u;
static unsigned rnd(unsigned below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (unsigned)((seed >> 20) % below);
}
static int sign(int x) { return (x > 0) - (x < 0); }

// Two areas, each followed by a page without access.
enum { AREA = 8192 };
static unsigned char *left, *right, *model;
static unsigned char *area(void) {
    unsigned char *p = mmap(0, AREA + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && mprotect(p + AREA, 4096, PROT_NONE) == 0);
    return p;
}
// A place for n bytes: often at the end of the area.
static unsigned char *place(unsigned char *base, size_t n) {
    return rnd(2) ? base + AREA - n : base + rnd((unsigned)(AREA - n));
}
static size_t size(void) { return rnd(4) ? rnd(70) : rnd(3000); }
// A string of length n with few different letters, so that searches find something.
static char *text(unsigned char *base, size_t n) {
    char *s = (char *)place(base, n + 1);
    for (size_t i = 0; i < n; i++) s[i] = (char)("abAB\x80\xff ,"[rnd(8)]);
    s[n] = 0;
    return s;
}

static void memory(void) {
    size_t n = size();
    unsigned char *a = place(left, n), *b = place(right, n);
    for (size_t i = 0; i < n; i++) b[i] = (unsigned char)rnd(256);
    CHECK(memcpy(a, b, n) == a);
    for (size_t i = 0; i < n; i++) CHECK(a[i] == b[i]);
    CHECK(memcmp(a, b, n) == 0 && bcmp(a, b, n) == 0);
    if (n) {
        size_t at = rnd((unsigned)n);
        a[at] ^= (unsigned char)(1 + rnd(255));
        CHECK(sign(memcmp(a, b, n)) == (a[at] > b[at] ? 1 : -1) && bcmp(a, b, n) != 0);
        unsigned char byte = a[at];
        size_t first = 0, last = n - 1;
        while (a[first] != byte) first++;
        while (a[last] != byte) last--;
        CHECK(memchr(a, byte, n) == a + first && rawmemchr(a, byte) == a + first && memrchr(a, byte, n) == a + last);
        CHECK(memchr(a, byte, first) == 0);
        unsigned char *c = place(right, n);
        memset(c, 0x5a, n);
        CHECK(memccpy(c, a, byte, n) == c + first + 1 && memcmp(c, a, first + 1) == 0);
        CHECK(first + 1 == n || c[first + 1] == 0x5a);
        CHECK(memccpy(c, a, byte, first) == 0);
        CHECK(memchr(a, 'x' + 256, n) == memchr(a, 'x', n));
    }
    CHECK(mempcpy(a, b, n) == a + n && memcmp(a, b, n) == 0);
    memset(a, 7, n), bcopy(b, a, n);
    CHECK(memcmp(a, b, n) == 0);
    CHECK(memset(a, 0x1c3, n) == a);
    for (size_t i = 0; i < n; i++) CHECK(a[i] == 0xc3);
    bzero(a, n);
    for (size_t i = 0; i < n; i++) CHECK(a[i] == 0);
    memset(a, 1, n), explicit_bzero(a, n);
    for (size_t i = 0; i < n; i++) CHECK(a[i] == 0);
    // Nothing beside the range is touched.
    if (a > left + 64) {
        memset(a - 64, 0xee, 64), memset(a, 1, n), memcpy(a, b, n);
        for (int i = 1; i <= 64; i++) CHECK(a[-i] == 0xee);
    }
    // Overlap, both ways.
    size_t from = rnd(600), to = rnd(600);
    n = rnd(3000);
    for (size_t i = 0; i < AREA; i++) left[i] = model[i] = (unsigned char)rnd(256);
    for (size_t i = 0; i < n; i++) model[to + i] = left[from + i];
    CHECK(memmove(left + to, left + from, n) == left + to && memcmp(left, model, AREA) == 0);
}

static void find(void) {
    size_t n = rnd(200), m = rnd(5);
    char *hay = text(left, n), *needle = text(right, m);
    char *found = 0;
    for (size_t i = 0; i + m <= n && !found; i++) {
        size_t j = 0;
        while (j < m && hay[i + j] == needle[j]) j++;
        if (j == m) found = hay + i;
    }
    CHECK(strstr(hay, needle) == found);
    CHECK(memmem(hay, n, needle, m) == found);
    CHECK(memmem(hay, 0, needle, m) == (m ? 0 : hay));
    size_t in = 0, out = 0;
    while (hay[in] && m && strchr(needle, hay[in])) in++;
    while (hay[out] && !(m && strchr(needle, hay[out]))) out++;
    CHECK(strspn(hay, needle) == in && strcspn(hay, needle) == out);
    CHECK(strpbrk(hay, needle) == (hay[out] ? hay + out : 0));
    int c = "abAB\x80z"[rnd(7)];
    char *first = 0, *last = 0;
    for (size_t i = 0; i <= n; i++)
        if (hay[i] == (char)c) first = first ? first : hay + i, last = hay + i;
    CHECK(strchr(hay, c) == first && index(hay, c) == first && strrchr(hay, c) == last && rindex(hay, c) == last);
    CHECK(strchrnul(hay, c) == (first ? first : hay + n));
    CHECK(strcasestr("xxHeLLo", "hello") != 0 && strcasestr("xxHeLL", "hello") == 0);
}

static void copies(void) {
    size_t n = size(), k = size();
    char *s = text(left, n);
    size_t room = n > k ? n + 1 : k + 1;
    char *d = (char *)place(right, room);
    CHECK(strlen(s) == n && strnlen(s, k) == (n < k ? n : k) && strnlen(s, SIZE_MAX) == n);
    CHECK(strcpy(d, s) == d && memcmp(d, s, n + 1) == 0);
    memset(d, 1, room);
    CHECK(stpcpy(d, s) == d + n && memcmp(d, s, n + 1) == 0);
    memset(d, 1, room);
    CHECK(strncpy(d, s, k) == d && strncmp(d, s, k) == 0);
    for (size_t i = n; i < k; i++) CHECK(d[i] == 0);
    CHECK(k >= room || d[k] == 1);
    memset(d, 1, room);
    CHECK(stpncpy(d, s, k) == d + (n < k ? n : k) && strncmp(d, s, k) == 0);
    char *copy = strdup(s);
    CHECK(copy && strcmp(copy, s) == 0);
    free(copy);
    copy = strndup(s, k);
    CHECK(copy && strlen(copy) == (n < k ? n : k) && strncmp(copy, s, k) == 0);
    free(copy);
    size_t e = rnd(40);
    d = (char *)place(right, e + n + 1);
    memset(d, 'q', e), d[e] = 0;
    CHECK(strcat(d, s) == d && strlen(d) == e + n && strcmp(d + e, s) == 0);
    d[e] = 0;
    CHECK(strncat(d, s, k) == d && strlen(d) == e + (n < k ? n : k) && strncmp(d + e, s, k) == 0);
}

static void compare(void) {
    size_t n = rnd(60);
    char *a = text(left, n), *b = (char *)place(right, n + 1);
    memcpy(b, a, n + 1);
    CHECK(strcmp(a, b) == 0 && strncmp(a, b, 1000) == 0 && strcoll(a, b) == 0);
    size_t at = rnd((unsigned)n + 1), k = rnd(80);
    b[at] = "ab\x90"[rnd(3)] + 0;
    if (at == n) b[at] = 0;
    int expected = sign((unsigned char)a[at] - (unsigned char)b[at]);
    CHECK(sign(strcmp(a, b)) == expected);
    CHECK(sign(strncmp(a, b, k)) == (at < k ? expected : 0));
    CHECK(strcasecmp("HeLLo", "hEllO") == 0 && strcasecmp("a", "B") < 0 && strncasecmp("abX", "ABy", 2) == 0);
    CHECK(strcmp("\xff", "\x01") > 0 && strcoll("a", "b") < 0 && strverscmp("a9", "a10") < 0);
}

static void tokens(void) {
    char s[] = ",,one, two,,three ", t[] = ",,one, two,,three ", u[] = "a,,b";
    char *save, *p = u;
    CHECK(strcmp(strtok(s, ", "), "one") == 0 && strcmp(strtok_r(t, ", ", &save), "one") == 0);
    CHECK(strcmp(strtok(0, ", "), "two") == 0 && strcmp(strtok_r(0, ", ", &save), "two") == 0);
    CHECK(strcmp(strtok(0, ","), "three ") == 0 && strcmp(strtok_r(0, ", ", &save), "three") == 0);
    CHECK(strtok(0, ", ") == 0 && strtok(0, ", ") == 0 && strtok_r(0, ", ", &save) == 0);
    CHECK(strcmp(strsep(&p, ","), "a") == 0 && strcmp(strsep(&p, ","), "") == 0 && strcmp(strsep(&p, ","), "b") == 0);
    CHECK(p == 0 && strsep(&p, ",") == 0);
}

static void wide(void) {
    wchar_t a[] = L"h\u00e4llo", b[16], c[4] = {L'x', L'x', L'x', L'x'};
    CHECK(wcslen(a) == 5 && wcscmp(wcscpy(b, a), a) == 0 && wmemcmp(a, b, 6) == 0 && wcsnlen(a, 3) == 3);
    CHECK(wcscmp(L"a", L"b") < 0 && wcscmp(L"b", L"") > 0 && wmemcpy(b, c, 4) == b && b[3] == L'x');
    CHECK(wmemset(b, L'y', 3) == b && b[2] == L'y' && b[3] == L'x' && wmempcpy(b, c, 4) == b + 4);
    CHECK(wcschr(a, L'l') == a + 2 && wcschr(a, 0) == a + 5 && wmemchr(a, L'o', 4) == 0 && wcscat(wcscpy(b, a), L"!") == b);
    CHECK(b[5] == L'!' && b[6] == 0 && wmemmove(b + 1, b, 5) == b + 1 && b[5] == L'o');
}

void *__memcpy_chk(void *, const void *, size_t, size_t), *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t), *__strncat_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t);
int __sprintf_chk(char *, int, size_t, const char *, ...), __snprintf_chk(char *, size_t, int, size_t, const char *, ...);

static void fortified(void) {
    char d[32];
    CHECK(__memcpy_chk(d, "hello", 6, 32) == d && strcmp(d, "hello") == 0 && __memset_chk(d, 0, 32, 32) == d);
    CHECK(__strcpy_chk(d, "abc", 4) == d && __strcat_chk(d, "def", 32) == d && __strncat_chk(d, "ghi", 1, 8) == d);
    CHECK(strcmp(d, "abcdefg") == 0 && __stpcpy_chk(d, "xy", 3) == d + 2);
    CHECK(__sprintf_chk(d, 1, 32, "%d-%s", 5, "six") == 5 && strcmp(d, "5-six") == 0);
    CHECK(__snprintf_chk(d, 4, 1, 32, "%s", "truncated") == 9 && strcmp(d, "tru") == 0);
}

static int through(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsprintf(to, format, list);
    va_end(list);
    return n;
}
static int from(const char *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsscanf(s, format, list);
    va_end(list);
    return n;
}

static void formatted(void) {
    char d[512], *made;
    const char *all = "1 2 3 4 5 6 7 8 9 a 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5 z 10.25";
    // More arguments of each class than there are registers.
    CHECK(sprintf(d, "%d %d %d %d %d %d %d %ld %hhd %s %g %g %g %g %g %g %g %g %g %c %.2Lf", 1, 2, 3, 4, 5, 6, 7, 8L, 9,
                  "a", 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 'z', 10.25L) == (int)strlen(all));
    CHECK(strcmp(d, all) == 0);
    CHECK(snprintf(d, 5, "%s", "overlong") == 8 && strcmp(d, "over") == 0 && snprintf(0, 0, "%*d", 7, 1) == 7);
    CHECK(through(d, "%2$s %1$s %%", "b", "a") == 5 && strcmp(d, "a b %") == 0);
    CHECK(asprintf(&made, "%.*s|%5.1f", 2, "abc", 1.25) == 8 && strcmp(made, "ab|  1.2") == 0);
    free(made);
    int a, b, n;
    long l;
    double x;
    float f;
    char w[8], set[8], two[2], *heap;
    CHECK(sscanf("12 34 abc x=5.5", "%d %ld %7s x=%lf%n", &a, &l, w, &x, &n) == 4);
    CHECK(a == 12 && l == 34 && strcmp(w, "abc") == 0 && x == 5.5 && n == 15);
    CHECK(from("1:2:zz]y q 0x1f", "%d:%d:%[]z]%2c%*s%x", &a, &b, set, two, &n) == 5 && n == 0x1f);
    CHECK(a == 1 && b == 2 && strcmp(set, "zz]") == 0 && two[0] == 'y' && two[1] == ' ');
    CHECK(sscanf("word 2.5", "%ms %f", &heap, &f) == 2 && strcmp(heap, "word") == 0 && f == 2.5f);
    free(heap);
    char *end;
    CHECK(strtol("  -42x", &end, 10) == -42 && *end == 'x' && strtoul("ff", 0, 16) == 255 && atoi("77") == 77);
    CHECK(strtod("1e3,", &end) == 1000 && *end == ',' && strtof("0.5", 0) == 0.5f && strtold("2.5", 0) == 2.5L);
    CHECK(atof("3.25") == 3.25 && atoll("-9") == -9 && strtoull("18446744073709551615", 0, 10) == ULLONG_MAX);
    errno = 0;
    CHECK(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
}

static void streams(void) {
    FILE *f = tmpfile();
    CHECK(f && fprintf(f, "%s %d %.1f\n", "line", 1, 2.5) == 11 && fputs("two\n", f) >= 0 && fputc('3', f) == '3');
    CHECK(fwrite("\nfour", 1, 5, f) == 5 && fflush(f) == 0 && ftell(f) == 21 && fseek(f, 0, SEEK_SET) == 0);
    char buffer[64], word[16], *grown = 0;
    size_t room = 0;
    int number;
    float real;
    CHECK(fscanf(f, "%15s %d %f", word, &number, &real) == 3 && strcmp(word, "line") == 0 && number == 1 && real == 2.5f);
    CHECK(fgetc(f) == '\n' && fgets(buffer, 64, f) == buffer && strcmp(buffer, "two\n") == 0);
    CHECK(getc(f) == '3' && ungetc('9', f) == '9' && getline(&grown, &room, f) == 2 && strcmp(grown, "9\n") == 0);
    CHECK(fread(buffer, 1, 64, f) == 4 && memcmp(buffer, "four", 4) == 0 && feof(f) && !ferror(f));
    flockfile(f), flockfile(f);
    CHECK(ftrylockfile(f) == 0 && putc_unlocked('x', f) == 'x');
    funlockfile(f), funlockfile(f), funlockfile(f);
    free(grown);
    CHECK(fclose(f) == 0 && fopen("/nonexistent/file", "r") == 0 && errno == ENOENT);
    printf("%s: %d %s %5.2f\n", "printf", 42, "and", 1.25);
    puts("puts"), putchar('c'), putchar('\n');
    CHECK(dprintf(1, "%s", "") == 0 && fflush(0) == 0);
}

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int order_r(const void *a, const void *b, void *down) { return *(int *)down * order(a, b); }

static void others(void) {
    int v[100], down = -1, key = 50;
    for (int i = 0; i < 100; i++) v[i] = (i * 37) % 100;
    qsort(v, 100, sizeof *v, order);
    for (int i = 0; i < 100; i++) CHECK(v[i] == i);
    CHECK(bsearch(&key, v, 100, sizeof *v, order) == v + 50);
    qsort_r(v, 100, sizeof *v, order_r, &down);
    for (int i = 0; i < 100; i++) CHECK(v[i] == 99 - i);
    size_t count = 99;
    key = 1000;
    CHECK(lfind(&key, v, &count, sizeof *v, order) == 0 && lsearch(&key, v, &count, sizeof *v, order) == v + 99);
    CHECK(count == 100 && v[99] == 1000);
    CHECK(setenv("GABION_TEST", "x y", 1) == 0 && strcmp(getenv("GABION_TEST"), "x y") == 0);
    CHECK(unsetenv("GABION_TEST") == 0 && getenv("GABION_TEST") == 0 && secure_getenv("GABION_TEST") == 0);
    CHECK(setlocale(LC_ALL, "C") != 0 && localeconv()->decimal_point[0] == '.');
    time_t zero = 0;
    struct tm tm;
    char d[64];
    CHECK(gmtime(&zero)->tm_year == 70 && gmtime_r(&zero, &tm) == &tm && tm.tm_mday == 1);
    CHECK(strftime(d, sizeof d, "%Y-%m-%d", &tm) == 10 && strcmp(d, "1970-01-01") == 0 && timegm(&tm) == 0);
    CHECK(strcmp(asctime(&tm), "Thu Jan  1 00:00:00 1970\n") == 0);
    CHECK(strcmp(strerror(ENOENT), "No such file or directory") == 0 && strsignal(11) != 0);
}

int main(int argc, char **argv) {
    left = area(), right = area(), model = area();
    // Given the library's name, make sure that it is the one being tested.
    void *functions[] = {memcpy, memset, strlen, strcmp, printf, qsort};
    for (size_t i = 0; argc > 1 && i < sizeof functions / sizeof *functions; i++) {
        Dl_info info;
        CHECK(dladdr(functions[i], &info) && strstr(info.dli_fname, argv[1]));
    }
    for (int i = 0; i < 3000; i++) memory(), find(), copies(), compare();
    tokens(), wide(), fortified(), formatted(), streams(), others();
    return 0;
}
