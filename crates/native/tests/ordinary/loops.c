// Loops that optimisers change, variable arguments, jumps, numbers of all sizes, packed and nested data.
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
int ext_var; static const struct { int a; const char *s; } names[] = {{1, "a"}, {2, "b"}};
int ext(int i) { return ext_var + names[i & 1].a; } const char *nm(int i) { return names[i & 1].s; }
int vsum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; }
double vsumd(int n, ...) { va_list ap; va_start(ap, n); double s = vsum(2, ap); while (n--) s += va_arg(ap, double); va_end(ap); return s; }
jmp_buf jb; int jump(int k) { if (setjmp(jb)) return ext_var; if (k) longjmp(jb, 1); return k; }
double complex z[4]; void cplx(int i) { z[i] = z[i] * z[i] + 1; }
long double lds[4]; 
#ifdef __GNUC__
#ifndef __clang__
void ldbl(int i) { lds[i] = lds[i] * 2 + 1; }
#endif
#endif
int *gp; int **gpp; void indir(void) { **gpp = *gp + 1; (*gpp)++; gp[3] = gpp[1][2]; }
unsigned long long ull; int cnt[10]; void ll(void) { ull = ull * 3 + (ull >> 7); ull /= 5; ull ^= ull << 13; }
__int128 wide; void w128(__int128 *p) { wide += *p; *p = wide * 3; }
struct bf { unsigned a : 1, b : 7, c : 9, d : 15; unsigned long e : 33; signed f : 5; _Bool g : 1; }; int bits(struct bf *p, int k) { p->a ^= 1; p->b = k; p->c += k; p->d = p->c; p->e |= 1ul << 32; p->f--; p->g = !p->g; return p->a + p->f; }
struct pk { char a; int b; short c; long d; } __attribute__((packed)); void pack(struct pk *p) { p->b++; p->c = p->b; p->d = p->c * 2; }
pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t cv; int ready; void wait(void) { pthread_mutex_lock(&mu); while (!ready) pthread_cond_wait(&cv, &mu); ready--; pthread_mutex_unlock(&mu); }
void local_escape(void (*f)(int *)) { int x = 3, y[10] = {1}; f(&x); f(y); x += y[2]; y[x & 7]++; f(&x); }
int state8(int s) { switch (s) { case 1: return cnt[1]++; case 2: return cnt[2]--; case 3: cnt[3] = 2; break; case 4: return ext_var; case 5: ready = 2; break; case 6: ll(); break; case 7: return *gp; case 8: cnt[0] += cnt[9]; } return 7; }
float sq(float *p, int n) { float m = 0; for (int i = 0; i < n; i++) m = fmaxf(m, sqrtf(p[i])); return m; }
void stencil(double *restrict o, const double *restrict i, int n) { for (int k = 1; k < n - 1; k++) o[k] = (i[k - 1] + i[k] + i[k + 1]) / 3; }
void hist(const unsigned char *p, int n, int *h) { for (int i = 0; i < n; i++) h[p[i]]++; }
int popc(unsigned *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += __builtin_popcount(p[i]); return s; }
void cond(int *p, int *q, int n) { for (int i = 0; i < n; i++) if (q[i] > 3) p[i] = q[i]; else p[i] += 2; }
void rot(unsigned *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] << 5 | p[i] >> 27; }
void u8(unsigned char *p, unsigned char *q, int n) { for (int i = 0; i < n; i++) p[i] = (p[i] + q[i] + 1) / 2; }
void inter(float *p, float *q, int n) { for (int i = 0; i < n; i++) { p[2 * i] = q[i]; p[2 * i + 1] = -q[i]; } }
void back(int *p, int n) { for (int i = n - 1; i >= 0; i--) p[i] = i; }
int any(int **pp, int n) { for (int i = 0; i < n; i++) if (pp[i] && *pp[i] == 3) return i; return -1; }
struct deep { struct { struct { int v[4]; struct deep *n; } b[3]; } a[2]; }; int deepf(struct deep *d, int i, int j, int k) { d->a[i].b[j].v[k]++; return d->a[1].b[2].n->a[i].b[j].v[k]; }
