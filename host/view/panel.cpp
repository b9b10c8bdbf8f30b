// panel.cpp: the panel's layout, and Dear ImGui behind a C interface.
#include "view/panel.h"

#include <imgui.h>
#include <backends/imgui_impl_glfw.h>

#include <cstdio>
#include <vector>

static_assert(sizeof(ImDrawVert) == 20, "shaders/render/panel.vert reads five words a vertex");
static_assert(sizeof(ImDrawIdx) == 2, "painter.c draws with indices of two bytes");

static std::vector<ImDrawVert>    vertices;
static std::vector<ImDrawIdx>     indices;
static std::vector<WeftPanelPart> parts;
static ImVec4                     ground; // left, top, right, bottom of the figures

bool weft_panel_create(GLFWwindow *window)
{
    if (!ImGui::CreateContext())
        return false;
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    // The font is read texel by texel, so lines are drawn as plain triangles.
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    ImGui::GetStyle().Colors[ImGuiCol_WindowBg] = ImVec4(0.17f, 0.17f, 0.17f, 1);
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

static void show_stages(const WeftPanelFacts *facts)
{
    if (!ImGui::CollapsingHeader("stages, ms a step") ||
        !ImGui::BeginTable("stages", 2, ImGuiTableFlags_SizingFixedFit))
        return;
    for (uint32_t k = 0; k < facts->stage_count; k++)
    {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(facts->stage_names[k]);
        ImGui::TableNextColumn();
        ImGui::Text("%8.3f", facts->stage_ms[k]);
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
    ImGui::SetNextWindowPos(ImVec2(8, 8), ImGuiCond_FirstUseEver);
    // The renderer lays the ground: what lies behind it is then not drawn at all. So nothing may come behind the figures.
    ImGui::Begin(facts->scene, nullptr,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImVec2 place = ImGui::GetWindowPos(), extent = ImGui::GetWindowSize();
    ground = ImVec4(place.x, place.y, place.x + extent.x, place.y + extent.y);
    ImGui::Text("%s at %.3f s, %s", facts->is_playing ? "playing" : "paused", facts->time,
                facts->color);
    ImGui::Text("%.1f frames/s, drawn in %.1f ms", facts->frames_per_second, facts->draw_ms);
    ImGui::Text("%.2f x real time", facts->real_time_factor);
    ImGui::Text("%u particles on %.40s", facts->particles, facts->device);
    ImGui::Text("step %.3g ms, taken in %.2f ms", 1e3 * facts->step, facts->step_ms);
    ImGui::Text("%u CG iterations", facts->iterations);
    ImGui::Text("%u components, largest %u", facts->components, facts->largest_component);
    ImGui::Text("%u contacts, stretch %.1f %%", facts->contacts,
                100 * (facts->largest_stretch > 1 ? facts->largest_stretch - 1 : 0));
    show_controls(controls, start);
    show_energy("kinetic", facts->kinetic, facts->history_count);
    show_energy("potential", facts->potential, facts->history_count);
    show_stages(facts);
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

// All lists one behind the other, with their rectangles in pixels.
static void take_drawing(const ImDrawData *data, WeftPanelDrawing *drawing)
{
    vertices.clear();
    indices.clear();
    parts.clear();
    ImVec2 scale = data->FramebufferScale;
    for (int k = 0; k < data->CmdListsCount; k++)
    {
        const ImDrawList *list = data->CmdLists[k];
        for (const ImDrawCmd &command : list->CmdBuffer)
            parts.push_back(part_of(command.ClipRect, scale,
                                    (uint32_t)indices.size() + command.IdxOffset, command.ElemCount,
                                    (uint32_t)vertices.size() + command.VtxOffset));
        vertices.insert(vertices.end(), list->VtxBuffer.begin(), list->VtxBuffer.end());
        indices.insert(indices.end(), list->IdxBuffer.begin(), list->IdxBuffer.end());
    }
    WeftPanelPart under = part_of(ground, scale, (uint32_t)indices.size(), 6, (uint32_t)vertices.size());
    for (int k = 0; k < 4; k++)
        vertices.push_back({ImVec2(k % 2 ? ground.z : ground.x, k / 2 ? ground.w : ground.y), ImVec2(),
                            ImGui::GetColorU32(ImGuiCol_WindowBg)});
    for (ImDrawIdx corner : {0, 1, 2, 2, 1, 3})
        indices.push_back(corner);
    *drawing = {{data->DisplaySize.x, data->DisplaySize.y},
                vertices.data(),
                vertices.size() * sizeof(ImDrawVert),
                indices.data(),
                indices.size() * sizeof(ImDrawIdx),
                parts.data(),
                parts.size(),
                under};
}

void weft_panel_lay_out(const WeftPanelFacts *facts, WeftPanelControls *controls,
                        const WeftPanelControls *start, WeftPanelDrawing *drawing)
{
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    ground = ImVec4();
    if (facts->has_figures)
        show_figures(facts, controls, start);
    if (facts->has_keys)
        show_keys(facts);
    if (*facts->trouble)
        show_message(facts);
    ImGui::Render();
    take_drawing(ImGui::GetDrawData(), drawing);
}
