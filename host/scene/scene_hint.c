// scene_hint.c: what the writer of a scene may have meant.
#include "scene_hint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_LIMIT 63

size_t weft_word_distance(const char *a, const char *b)
{
    size_t a_length = strnlen(a, WORD_LIMIT), b_length = strnlen(b, WORD_LIMIT);
    // Three rows of the table of distances between the beginnings of both words.
    size_t rows[3][WORD_LIMIT + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++)
    {
        size_t       *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++)
        {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

void weft_number_format(double number, char *text, size_t size)
{
    double magnitude = fabs(number);
    if (number == 0 || (magnitude >= 1e-3 && magnitude < 1e6))
    {
        snprintf(text, size, "%.10g", number);
        return;
    }
    // Drop the plus sign and the leading zeros of the exponent: 1e-09 is 1e-9.
    char digits[40];
    snprintf(digits, sizeof(digits), "%.9e", number);
    char *exponent = strchr(digits, 'e');
    if (exponent == NULL)
    {
        snprintf(text, size, "%g", number);
        return;
    }
    long power = strtol(exponent + 1, NULL, 10);
    while (exponent > digits && exponent[-1] == '0')
        exponent--;
    if (exponent > digits && exponent[-1] == '.')
        exponent--;
    snprintf(text, size, "%.*se%ld", (int)(exponent - digits), digits, power);
}

// Gathers the words of one message: the nearest to what was written, and the list of all.
typedef struct Words
{
    const char *wrong;
    const char *nearest;
    size_t      distance;
    char        list[700];
    size_t      used;
} Words;

static void offer(Words *words, const char *word)
{
    size_t distance = weft_word_distance(words->wrong, word);
    if (words->nearest == NULL || distance < words->distance)
    {
        words->nearest = word;
        words->distance = distance;
    }
    int written = snprintf(words->list + words->used, sizeof(words->list) - words->used, "%s%s",
                           words->used > 0 ? ", " : "", word);
    if (written > 0)
        words->used += (size_t)written;
    if (words->used >= sizeof(words->list))
        words->used = sizeof(words->list) - 1;
}

// A guess is worth showing if most letters are right, or one word begins with the other.
static bool is_near(const Words *words)
{
    size_t length = strnlen(words->wrong, WORD_LIMIT);
    size_t shorter = strlen(words->nearest) < length ? strlen(words->nearest) : length;
    return words->distance <= 1 + length / 3 ||
           (shorter >= 3 && strncmp(words->wrong, words->nearest, shorter) == 0);
}

void weft_hint_key(WeftSectionId id, const char *key, char *text, size_t size)
{
    WeftSection section = weft_section(id);
    Words       words = {.wrong = key};
    for (size_t i = 0; i < section.field_count; i++)
        offer(&words, section.fields[i].name);
    if (is_near(&words))
    {
        snprintf(text, size, "; did you mean \"%s\"? Possible here: %s", words.nearest, words.list);
        return;
    }

    // The right key in the wrong place is the next most likely mistake.
    for (int other = WEFT_SECTION_COUNT - 1; other >= 0; other--)
        if (weft_section_find((WeftSectionId)other, key, strlen(key)) != NULL)
        {
            WeftSection home = weft_section((WeftSectionId)other);
            snprintf(text, size, "; it belongs in %s. Possible here: %s",
                     home.path[0] != '\0' ? home.path : "the scene itself", words.list);
            return;
        }
    snprintf(text, size, "; possible here: %s", words.list);
}

void weft_hint_word(const WeftField *field, const char *word, char *text, size_t size)
{
    Words words = {.wrong = word};
    for (size_t i = 0; weft_field_word(field, i) != NULL; i++)
        offer(&words, weft_field_word(field, i));
    if (is_near(&words))
        snprintf(text, size, "; did you mean \"%s\"? Possible: %s", words.nearest, words.list);
    else
        snprintf(text, size, "; possible: %s", words.list);
}
