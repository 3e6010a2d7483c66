// Inline assembly that touches memory, in a program with one thread: nobody else could see it half done.
// gabion: verdict=complete caveat=inline-assembly
// gabion: compilers=gcc,clang
static long n;

int main(void) {
    __asm__ __volatile__("incq %0" : "+m"(n) : : "memory");
    return n != 1;
}
