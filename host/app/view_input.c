// view_input.c: what keys and mouse do in the window.
#include "view/pick.h"
#include "view_state.h"

static const float TURN = 0.006f; // radians a pixel

static WeftStatus press(WeftView *view, char key)
{
    switch (key)
    {
    case ' ':
        if (!*view->player.trouble)
            weft_player_play(&view->player, !view->player.is_playing);
        return WEFT_OK;
    case '.':
        if (!*view->player.trouble)
            weft_player_step(&view->player);
        return WEFT_OK;
    case 'R':
        return weft_view_restart(view);
    case 'C':
        weft_view_set_show(view, (view->show + 1) % WEFT_SHOW_COUNT);
        return WEFT_OK;
    case '1':
    case '2':
    case '3':
    case '4':
        weft_view_set_show(view, (WeftShow)(key - '1'));
        return WEFT_OK;
    case 'F':
        return weft_view_frame_camera(view, false);
    case 'O':
        view->has_figures = !view->has_figures;
        return WEFT_OK;
    case 'H':
        view->has_keys = !view->has_keys;
        return WEFT_OK;
    case 'P':
        return weft_view_save_picture(view);
    case 'Q':
    case '\x1b':
        view->wants_close = true;
    }
    return WEFT_OK;
}

static void move_camera(WeftView *view, uint32_t height)
{
    const WeftInput *input = &view->input;
    if (input->middle || (input->shift && (input->left || input->right)))
        weft_camera_pan(&view->camera, (float)input->dx, (float)input->dy, height);
    else if (input->left || input->right)
        weft_camera_orbit(&view->camera, -TURN * (float)input->dx, TURN * (float)input->dy);
    if (input->scroll != 0)
        weft_camera_zoom(&view->camera, (float)input->scroll);
}

// Takes hold of the cloth where the left button went down on it.
static WeftStatus grab(WeftView *view, uint32_t width, uint32_t height)
{
    const WeftModel *model = weft_render_model_of(view->player.sim);
    const WeftInput *input = &view->input;
    WeftPick         pick;
    size_t           cloth = 0;
    for (size_t k = 0; k < model->cloth_count; k++)
        weft_sim_positions(view->player.sim, k, view->places + 3 * (size_t)model->first_vertex[k]);
    if (!weft_pick(&pick, &view->camera, view->places, model->particle_count, input->pressed_x,
                   input->pressed_y, width, height))
        return WEFT_OK;
    while (pick.index >= model->first_vertex[cloth + 1])
        cloth++;
    view->grab_depth = pick.depth;
    view->has_held = true;
    view->player.hand.springs = view->springs;
    view->player.hand.spring_count = view->spring_count;
    return weft_hand_take(&view->player.hand, view->player.sim, cloth,
                          pick.index - model->first_vertex[cloth]);
}

// The hand stays as far from the eye as it was, under the pointer.
static void move_hand(WeftView *view, uint32_t width, uint32_t height)
{
    WeftRay ray = weft_camera_ray(&view->camera, view->input.x, view->input.y, width, height);
    Vec3 place = mad(ray.from, view->grab_depth / dot(ray.along, view->camera.forward), ray.along);
    double *wish = view->player.hand.wish;
    wish[0] = (double)place.x;
    wish[1] = (double)place.y;
    wish[2] = (double)place.z;
}

// What the mouse does: the cloth where it is hit, else the camera.
static WeftStatus use_mouse(WeftView *view)
{
    const WeftInput *input = &view->input;
    WeftHand        *hand = &view->player.hand;
    uint32_t         width, height;
    weft_window_size(&view->window, &width, &height);
    if (height == 0)
        return WEFT_OK;
    if (hand->holds && !input->left)
        WEFT_TRY(weft_hand_let_go(hand, view->player.sim));
    if (input->left_pressed && !input->shift)
        WEFT_TRY(grab(view, width, height));
    if (hand->holds)
        move_hand(view, width, height);
    else
        move_camera(view, height);
    return WEFT_OK;
}

// What is done on the panel is not done to the cloth.
static void leave_to_panel(WeftInput *input)
{
    if (weft_panel_has_keys())
        input->key_count = 0;
    if (weft_panel_has_mouse())
    {
        input->left = input->middle = input->right = input->left_pressed = false;
        input->scroll = 0;
    }
}

WeftStatus weft_view_hear(WeftView *view, double wait)
{
    weft_window_look(&view->window, wait, &view->input);
    leave_to_panel(&view->input);
    for (int k = 0; k < view->input.key_count && !view->wants_close; k++)
        WEFT_TRY(press(view, view->input.keys[k]));
    view->wants_close = view->wants_close || view->input.closed;
    return use_mouse(view);
}
