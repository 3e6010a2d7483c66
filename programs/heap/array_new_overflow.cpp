// One element of a new[] too many.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <thread>

int main() {
    std::thread other([] {
        short *numbers = new short[7]; // ALLOC
        for (int i = 0; i < 8; i++)
            numbers[i] = i; // HERE
        delete[] numbers;
    });
    other.join();
}
