// display.c: see display.h.
#include "view/display.h"

#ifdef WEFT_HAS_X11
#include <X11/Xlib.h>
#include <stdio.h>

static bool took_window;
static void (*clear_up)(void *user);
static void *clear_up_user;

// A window that is gone is known by the requests that no longer find it; any other error leaves the window as it was.
static int on_error(Display *display, XErrorEvent *event)
{
    (void)display;
    if (event->error_code == BadWindow || event->error_code == BadDrawable)
        took_window = true;
    return 0;
}

// X ends the program when this returns.
static int on_broken(Display *display)
{
    (void)display;
    fprintf(stderr, "weft: the connection to the display is lost\n");
    clear_up(clear_up_user);
    return 0;
}

void weft_display_watch(void (*on_lost)(void *user), void *user)
{
    clear_up = on_lost;
    clear_up_user = user;
    XSetErrorHandler(on_error);
    XSetIOErrorHandler(on_broken);
}

bool weft_display_took_window(void)
{
    return took_window;
}
#else
void weft_display_watch(void (*on_lost)(void *user), void *user)
{
    (void)on_lost;
    (void)user;
}

bool weft_display_took_window(void)
{
    return false;
}
#endif
