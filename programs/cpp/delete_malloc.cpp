// Memory of malloc is deleted.
// gabion: verdict=bug kind=bad-free
// gabion: args=--cflags -std=c++20
#include <cstdlib>

int main() {
    int *number = static_cast<int *>(std::malloc(sizeof(int)));
    delete number;
}
