// Division by zero.
// gabion: verdict=bug kind=segfault
static volatile int zero;

int main(void) { return 10 / zero; }
