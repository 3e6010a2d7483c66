// Lists, trees, queues, bit-fields, atomics, tables, strings and loops, as programs have them.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <stdint.h>
#include <stdbool.h>
struct node { struct node *next, *prev; int key; char name[12]; double w; };
struct list { struct node *head, *tail; pthread_mutex_t m; int n; unsigned f : 3, g : 5, h : 24; };
void push(struct list *l, int k) { struct node *x = malloc(sizeof *x); x->key = k; x->w = k * .5; strcpy(x->name, "x"); pthread_mutex_lock(&l->m); x->prev = l->tail; x->next = 0; if (l->tail) l->tail->next = x; else l->head = x; l->tail = x; l->n++; l->f = k; l->g++; l->h |= 5; pthread_mutex_unlock(&l->m); }
int sum(struct list *l) { int s = 0; for (struct node *x = l->head; x; x = x->next) s += x->key; return s; }
double wsum(struct list *l) { double s = 0; for (struct node *x = l->head; x; x = x->next) s += x->w; return s; }
void rev(struct list *l) { struct node *x = l->head, *t; while (x) { t = x->next; x->next = x->prev; x->prev = t; x = t; } t = l->head; l->head = l->tail; l->tail = t; }
struct node *find(struct list *l, int k) { struct node *x = l->head; while (x && x->key != k) x = x->next; return x; }
void drop(struct list *l, struct node *x) { if (x->prev) x->prev->next = x->next; else l->head = x->next; if (x->next) x->next->prev = x->prev; else l->tail = x->prev; free(x); l->n--; }
int a[100], b[100], c[100]; float fa[64], fb[64]; double da[64]; long double ld; unsigned char by[77]; uint64_t u[50];
void add(int n) { for (int i = 0; i < n; i++) a[i] = b[i] + c[i]; }
void addp(int *p, int *q, int *r, int n) { for (int i = 0; i < n; i++) p[i] = q[i] * r[i]; }
void addr(int *restrict p, int *restrict q, int n) { for (int i = 0; i < n; i++) p[i] += q[i]; }
float dot(void) { float s = 0; for (int i = 0; i < 64; i++) s += fa[i] * fb[i]; return s; }
double dsum(double *d, int n) { double s = 0; for (int i = 0; i < n; i++) s += d[i]; return s; }
void conv(double *d, int *q, float *f, int n) { for (int i = 0; i < n; i++) { d[i] = q[i]; f[i] = d[i]; q[i] = (int)f[i]; } }
void fill(unsigned char *p, int n, int v) { while (n--) *p++ = v; }
void strided(int *p, int n, int k) { for (int i = 0; i < n; i += k) p[i * 3] = p[i] + 1; }
void mat(double (*m)[8], double (*x)[8], double (*y)[8]) { for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { double s = 0; for (int k = 0; k < 8; k++) s += x[i][k] * y[k][j]; m[i][j] = s; } }
void copy_int(int *p, int *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i]; }
void bubble(int *p, int n) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (p[j] < p[i]) { int t = p[i]; p[i] = p[j]; p[j] = t; } }
void qs(int *p, int lo, int hi) { if (lo >= hi) return; int v = p[(lo + hi) / 2], i = lo, j = hi; while (i <= j) { while (p[i] < v) i++; while (p[j] > v) j--; if (i <= j) { int t = p[i]; p[i++] = p[j]; p[j--] = t; } } qs(p, lo, j); qs(p, i, hi); }
unsigned crc(const unsigned char *p, size_t n) { static unsigned table[256]; static bool done; if (!done) { for (unsigned i = 0; i < 256; i++) { unsigned x = i; for (int k = 0; k < 8; k++) x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1; table[i] = x; } done = true; } unsigned x = ~0u; while (n--) x = x >> 8 ^ table[(x ^ *p++) & 255]; return ~x; }
int state(int s, int c) { switch (s) { case 0: a[1] += c; return 1; case 1: b[c]++; return 2; case 2: return 5; case 3: return by[c]; case 4: a[0]--; break; case 5: fa[c] = 1; case 6: return a[c]; } return s; }
static __thread int tl; __thread struct list *tlp; int tls(void) { tl++; if (tlp) tlp->n++; return tl; }
void cas(int *p) { __sync_fetch_and_add(p, 1); __atomic_store_n(p, 3, __ATOMIC_RELEASE); int e = 3; __atomic_compare_exchange_n(p, &e, 4, 0, 5, 5); }
_Atomic int at; _Atomic(struct list *) ap; int atom(void) { at++; at |= 3; struct list *l = ap; if (l) l->n = at; return at; }
struct v3 { float x, y, z; }; struct v3 vs[10];
void assign(struct node *p, struct node *q) { *p = *q; p->next = q; }
void vla(int n, int *out) { int t[n]; for (int i = 0; i < n; i++) t[i] = i * i; int s = 0; for (int i = 0; i < n; i++) s += t[(i * 7) % n]; *out = s; }
int (*ops[4])(int, int); int call(int i) { return ops[i](i, 1); }
struct obj { const struct vt { int (*f)(struct obj *, int); void (*g)(struct obj *); } *vt; int x; }; int vcall(struct obj *o) { o->vt->g(o); return o->vt->f(o, o->x); }
char *dup(const char *s) { size_t n = strlen(s); char *p = malloc(n + 1); for (size_t i = 0; i <= n; i++) p[i] = s[i]; return p; }
int cmp(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
void sort(void) { qsort(a, 100, sizeof *a, cmp); }
union un { int i; float f; char c[4]; long l; }; void uni(union un *p) { p->f = 1.5f; p->i ^= 1; p->c[2] = 3; p->l += 2; }
volatile int vol; int volt(void) { vol++; while (!vol) ; return vol; }
struct ring { unsigned head, tail; void *slot[16]; }; bool put(struct ring *r, void *p) { if (r->tail - r->head == 16) return false; r->slot[r->tail++ % 16] = p; return true; } void *get(struct ring *r) { return r->head == r->tail ? 0 : r->slot[r->head++ % 16]; }
struct tree { struct tree *l, *r; int k; }; struct tree *ins(struct tree *t, int k) { if (!t) { t = calloc(1, sizeof *t); t->k = k; return t; } if (k < t->k) t->l = ins(t->l, k); else t->r = ins(t->r, k); return t; } int height(struct tree *t) { if (!t) return 0; int l = height(t->l), r = height(t->r); return 1 + (l > r ? l : r); }
void table(int hash[][4], int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) hash[i][j] ^= hash[(i + 1) % n][3 - j]; }
int minmax(int *p, int n, int *lo, int *hi) { *lo = *hi = p[0]; for (int i = 1; i < n; i++) { if (p[i] < *lo) *lo = p[i]; if (p[i] > *hi) *hi = p[i]; } return *hi - *lo; }
void pick(int c, int *p, int *q) { int *r = c ? p : q; *r += 1; (c > 2 ? p : q)[1]--; }

int main(void) { struct list l = {0}; for (int i = 0; i < 9; i++) push(&l, i); rev(&l); return sum(&l) != 36; }
