// exec inside a checked program: one clear message.
// gabion: verdict=error message=exec
#include <unistd.h>

int main(void) {
    execl("/bin/true", "true", (char *)0);
    return 0;
}
