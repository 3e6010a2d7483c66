#include "numbers.hpp"

void Numbers::add(int number) { numbers.push_back(number); }

std::size_t Numbers::count() const { return numbers.size(); }
