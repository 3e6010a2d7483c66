// Inline assembly that nobody understands, in a program with one thread: nobody else could see it half done.
// gabion: verdict=complete caveat=inline-assembly
// gabion: compilers=gcc,clang
static char text[8];

int main(void) {
    char *at = text;
    unsigned long left = sizeof text;
    __asm__ __volatile__("rep stosb" : "+D"(at), "+c"(left) : "a"(1) : "memory");
    return text[7] != 1;
}
