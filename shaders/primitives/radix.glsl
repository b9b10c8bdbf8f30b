// radix.glsl: what both passes of a radix sort know of an item.

PUSH(RadixPush);

uint radix_item(uint place)
{
    return push.is_first != 0 ? place : push.from.at[place];
}

uint radix_digit(uint item)
{
    return min(push.keys.at[item], push.limit) >> push.shift & (RADIX_DIGITS - 1);
}
