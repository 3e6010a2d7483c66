// An array is deleted as if it were one object.
// gabion: verdict=bug kind=bad-free
// gabion: args=--cflags -std=c++20
int main() {
    int *array = new int[4];
    delete array;
}
