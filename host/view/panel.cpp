// panel.cpp: the panel's layout, and Dear ImGui behind a C interface.
#include "view/panel.h"

#include <imgui.h>
#include <backends/imgui_impl_glfw.h>

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

static_assert(sizeof(ImDrawVert) == 20, "shaders/render/panel.vert reads five words a vertex");
static_assert(sizeof(ImDrawIdx) == 2, "painter.c draws with indices of two bytes");

struct Lists
{
    std::vector<ImDrawVert>    vertices;
    std::vector<ImDrawIdx>     indices;
    std::vector<WeftPanelPart> parts;
};
static Lists    lists, before; // of this drawing and the last one
static uint64_t number;

bool weft_panel_create(GLFWwindow *window)
{
    if (!ImGui::CreateContext())
        return false;
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    // The font is read texel by texel, so lines are drawn as plain triangles.
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    // Nothing shines through: what lies behind the panel is not drawn at all.
    ImGui::GetStyle().Colors[ImGuiCol_WindowBg] = ImVec4(0.17f, 0.17f, 0.17f, 1);
    ImGui::GetStyle().Colors[ImGuiCol_TitleBgCollapsed].w = 1;
    return ImGui_ImplGlfw_InitForOther(window, true);
}

void weft_panel_destroy(void)
{
    if (!ImGui::GetCurrentContext())
        return;
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

const uint8_t *weft_panel_font(uint32_t *width, uint32_t *height)
{
    unsigned char *pixels;
    int            wide, high;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &wide, &high);
    *width = (uint32_t)wide;
    *height = (uint32_t)high;
    return pixels;
}

bool weft_panel_has_mouse(void)
{
    return ImGui::GetIO().WantCaptureMouse;
}

bool weft_panel_has_keys(void)
{
    return ImGui::GetIO().WantTextInput;
}

static void show_stages(const WeftPanelFigures *figures)
{
    if (!ImGui::CollapsingHeader("stages, ms a step") ||
        !ImGui::BeginTable("stages", 2, ImGuiTableFlags_SizingFixedFit))
        return;
    for (uint32_t k = 0; k < figures->stage_count; k++)
    {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(figures->stage_names[k]);
        ImGui::TableNextColumn();
        ImGui::Text("%8.3f", figures->stage_ms[k]);
    }
    ImGui::EndTable();
}

static void show_energy(const char *label, const float *values, uint32_t count)
{
    char  text[48], name[24];
    float low = 0, high = 1e-6f, last = count > 0 ? values[count - 1] : 0;
    for (uint32_t k = 0; k < count; k++)
    {
        low = values[k] < low ? values[k] : low;
        high = values[k] > high ? values[k] : high;
    }
    snprintf(text, sizeof text, "%s %.3g J", label, (double)last);
    snprintf(name, sizeof name, "##%s", label); // not written beside the plot
    ImGui::PlotLines(name, values, (int)count, 0, text, low, high, ImVec2(220, 44));
}

static void show_controls(WeftPanelControls *controls, const WeftPanelControls *start)
{
    const ImGuiSliderFlags logarithmic = ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp;
    ImGui::PushItemWidth(150);
    ImGui::SliderFloat("step, ms", &controls->step, 0.05f, 20, "%.2f", logarithmic);
    ImGui::SliderFloat("stiffness", &controls->stiffness, 0.05f, 20, "x %.2f", logarithmic);
    ImGui::SliderFloat("damping", &controls->damping, 0.05f, 20, "x %.2f", logarithmic);
    ImGui::SliderFloat3("wind, m/s", controls->wind, -15, 15, "%.1f");
    ImGui::SliderFloat("threshold", &controls->threshold, 0, 2, "%.2f");
    ImGui::PopItemWidth();
    if (ImGui::Button("as the scene has it"))
        *controls = *start;
}

static void show_figures(const WeftPanelFacts *facts, WeftPanelControls *controls,
                         const WeftPanelControls *start)
{
    const WeftPanelFigures *figures = facts->figures;
    ImGui::SetNextWindowPos(ImVec2(8, 8), ImGuiCond_FirstUseEver);
    ImGui::Begin(facts->scene, nullptr,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav);
    ImGui::Text("%s at %.3f s, %s", facts->is_playing ? "playing" : "paused", figures->time,
                facts->color);
    ImGui::Text("%.1f frames/s, drawn in %.1f ms", figures->frames_per_second, figures->draw_ms);
    ImGui::Text("%.2f x real time", figures->real_time_factor);
    ImGui::Text("%u particles on %.40s", figures->particles, figures->device);
    ImGui::Text("step %.3g ms, taken in %.2f ms", 1e3 * figures->step, figures->step_ms);
    ImGui::Text("%u CG iterations", figures->iterations);
    ImGui::Text("%u components, largest %u", figures->components, figures->largest_component);
    ImGui::Text("%u contacts, stretch %.1f %%", figures->contacts,
                100 * (figures->largest_stretch > 1 ? figures->largest_stretch - 1 : 0));
    show_controls(controls, start);
    show_energy("kinetic", figures->kinetic, figures->history_count);
    show_energy("potential", figures->potential, figures->history_count);
    show_stages(figures);
    ImGui::TextDisabled("H shows the keys");
    ImGui::End();
}

static void show_message(const WeftPanelFacts *facts)
{
    ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(ImVec2(size.x / 2, size.y - 12), ImGuiCond_Always, ImVec2(0.5f, 1));
    ImGui::SetNextWindowSize(ImVec2(size.x * 0.8f, 0));
    ImGui::Begin("trouble", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoNav);
    ImGui::TextWrapped("%s. R starts anew.", facts->trouble);
    ImGui::End();
}

static void show_keys(const WeftPanelFacts *facts)
{
    ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(ImVec2(size.x / 2, size.y - 12), ImGuiCond_Appearing,
                            ImVec2(0.5f, 1));
    ImGui::Begin("keys and mouse", nullptr,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav);
    ImGui::TextUnformatted(facts->keys);
    ImGui::End();
}

static WeftPanelPart part_of(ImVec4 place, ImVec2 scale, uint32_t first_index, uint32_t index_count,
                             uint32_t first_vertex)
{
    return {(int32_t)(place.x * scale.x), (int32_t)(place.y * scale.y),
            (int32_t)(place.z * scale.x), (int32_t)(place.w * scale.y),
            first_index,                  index_count,
            first_vertex};
}

template <typename Item>
static bool is_same(const std::vector<Item> &a, const std::vector<Item> &b)
{
    return a.size() == b.size() &&
           (a.empty() || memcmp(a.data(), b.data(), a.size() * sizeof(Item)) == 0);
}

// All lists one behind the other, with their rectangles in pixels.
static void take_drawing(const ImDrawData *data, WeftPanelDrawing *drawing)
{
    std::swap(lists, before);
    lists.vertices.clear();
    lists.indices.clear();
    lists.parts.clear();
    ImVec2 scale = data->FramebufferScale;
    for (int k = 0; k < data->CmdListsCount; k++)
    {
        const ImDrawList *list = data->CmdLists[k];
        for (const ImDrawCmd &command : list->CmdBuffer)
            lists.parts.push_back(part_of(command.ClipRect, scale,
                                          (uint32_t)lists.indices.size() + command.IdxOffset,
                                          command.ElemCount,
                                          (uint32_t)lists.vertices.size() + command.VtxOffset));
        lists.vertices.insert(lists.vertices.end(), list->VtxBuffer.begin(), list->VtxBuffer.end());
        lists.indices.insert(lists.indices.end(), list->IdxBuffer.begin(), list->IdxBuffer.end());
    }
    number += number == 0 || !is_same(lists.vertices, before.vertices) ||
              !is_same(lists.indices, before.indices) || !is_same(lists.parts, before.parts);
    *drawing = {{data->DisplaySize.x, data->DisplaySize.y},
                lists.vertices.data(),
                lists.vertices.size() * sizeof(ImDrawVert),
                lists.indices.data(),
                lists.indices.size() * sizeof(ImDrawIdx),
                lists.parts.data(),
                lists.parts.size(),
                number};
}

void weft_panel_lay_out(const WeftPanelFacts *facts, WeftPanelControls *controls,
                        const WeftPanelControls *start, WeftPanelDrawing *drawing)
{
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    if (facts->has_figures)
        show_figures(facts, controls, start);
    if (facts->has_keys)
        show_keys(facts);
    if (*facts->trouble)
        show_message(facts);
    ImGui::Render();
    take_drawing(ImGui::GetDrawData(), drawing);
}
