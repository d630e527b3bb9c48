#!/bin/sh
# Checks the almanac; ends with 1 if anything is wrong.
passed=0 failed=0

check() { # YEAR MONTH DAYS
    days=$(sh almanac.sh "$1" "$2")
    if [ "$days" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok    $1-$2 has $3 days"
    else
        failed=$((failed + 1))
        echo "FAIL  $1-$2 has $3 days, not $days"
    fi
}

check 2023 2 28
check 2024 2 29
check 1900 2 28
check 2000 2 29
check 2024 4 30

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
