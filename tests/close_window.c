// close_window.c: presses a window's close button, as a window manager does for the user.   close_window WINDOW
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    Display *display = XOpenDisplay(NULL);
    if (argc != 2 || display == NULL)
    {
        fprintf(stderr, "close_window: needs a display and the number of a window\n");
        return 2;
    }
    Window window = strtoul(argv[1], NULL, 0);
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = window,
                                .message_type = XInternAtom(display, "WM_PROTOCOLS", False),
                                .format = 32}};
    event.xclient.data.l[0] = (long)XInternAtom(display, "WM_DELETE_WINDOW", False);
    event.xclient.data.l[1] = CurrentTime;
    XSendEvent(display, window, False, NoEventMask, &event);
    XCloseDisplay(display);
    return 0;
}
