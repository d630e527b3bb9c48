#!/bin/sh
# How many days a month has: almanac.sh YEAR MONTH
. ./lib/year.sh

case $2 in
4 | 6 | 9 | 11) echo 30 ;;
2) if is_leap "$1"; then echo 29; else echo 28; fi ;;
*) echo 31 ;;
esac
