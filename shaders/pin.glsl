// pin.glsl: the pin of a particle in this step.
uint pin_place(uint pin)
{
    return VALUE_SOLIDS + ENGINE.solid_count * SOLID_REALS + pin * PIN_REALS;
}

// Whether the particle has a pin that holds it now.
bool is_pinned(uint i)
{
    uint pin = ENGINE.pin_of.at[i];
    return pin != NO_PIN && value(pin_place(pin) + PIN_ACTIVE) > 0;
}
