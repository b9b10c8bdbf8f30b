// owned.glsl: the springs of a row that it owns, besides those that go by the pattern.

// Does `act` with each, for one row in each slice of a range. Every spring has one owner, so that all rows together come by every spring once.
#define FOR_ODD_SPRINGS(slice, slice_end, lane, act)                                               \
    Uints odd = ENGINE.s_odd, odd_begin = ENGINE.s_odd_begin, slots = ENGINE.s_slots,              \
          slot_flags = ENGINE.s_slot_flags, lane_spring = ENGINE.s_lane_spring;                    \
    uint odd_end = odd_begin.at[slice_end];                                                        \
    for (uint k = odd_begin.at[slice]; k < odd_end; k++)                                           \
    {                                                                                              \
        uint slot = odd.at[2 * k + 1], kind = slot_flags.at[slot];                                 \
        uint spring = slots.at[2 * slot] + lane;                                                   \
        if ((kind & SLOT_IS_MIRROR) != 0)                                                          \
            continue;                                                                              \
        if ((kind & SLOT_IS_SCATTERED) != 0)                                                       \
            spring = lane_spring.at[spring];                                                       \
        act(spring);                                                                               \
    }
