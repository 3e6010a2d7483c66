// An illegal instruction.
// gabion: verdict=bug kind=segfault
static volatile int always = 1;

int main(void) {
    if (always)
        __builtin_trap();
    return 0;
}
