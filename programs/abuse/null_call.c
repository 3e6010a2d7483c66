// A call through a null function pointer.
// gabion: verdict=bug kind=segfault
static void (*volatile function)(void);

int main(void) {
    function();
    return 0;
}
