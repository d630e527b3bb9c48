# Is the year a leap year?
is_leap() {
    [ $(($1 % 4)) -eq 0 ]
}
