// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A screen as a form: its controls in reading order, its focus, its announcements.
///
/// The model decides all of it, and this view holds no state but the system's focus. An app replaces single controls by
/// a closure:
///
/// ```swift no-check
/// ScreenForm(model) { control, standard in
///     if control.id == .title { Image("Logo") }
///     standard
/// }
/// ```
public struct ScreenForm<S: Screen, Row: View>: View {
    private let model: ScreenModel<S>
    private let row: (Control, ControlView) -> Row
    @State private var view = UUID()
    @FocusState private var focus: ControlID?
    @Environment(\.authTheme) private var theme
    @Environment(\.scenePhase) private var phase

    /// Creates the form of a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - row: Returns the view of a control; the standard view is its second argument.
    public init(_ model: ScreenModel<S>, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The controls in a scroll view, redacted while the app is in the background.
    public var body: some View {
        scroll
            .background(theme.background)
            .tint(theme.accent)
            .redacted(reason: phase.hidesSecrets ? .privacy : [])
            .interactiveDismissDisabled(!model.machine.canBeDismissed)
            .onAppear { model.appear(in: view) }
            .onDisappear { model.disappear(from: view) }
            .onChange(of: phase) { if phase == .active { model.send(.activate) } }
            .onChange(of: model.focus, initial: true) { focus = model.focus }
            .onChange(of: focus) { if focus != model.focus { model.send(.focus(focus)) } }
            .announcing(model)
            // Another model begins its own screen.
            .id(ObjectIdentifier(model))
    }

    /// The controls; a list can be pulled down to load it again.
    @ViewBuilder private var scroll: some View {
        if model.screen.refreshing == nil {
            controls
        } else {
            controls.refreshable { [model] in
                await model.send(.refresh)
                await model.settled()
            }
        }
    }

    private var controls: some View {
        ScrollView {
            VStack(alignment: .leading, spacing: theme.spacing) {
                ForEach(model.controls) { control in
                    row(control, ControlView(control, sender: ControlSender(model), focus: $focus))
                }
            }
            .padding(theme.spacing * 2)
            .frame(maxWidth: theme.maximumWidth)
            .frame(maxWidth: .infinity)
        }
    }
}

extension ScreenForm where Row == ControlView {
    /// Creates the form of a model with the standard views.
    public init(_ model: ScreenModel<S>) {
        self.init(model) { _, standard in standard }
    }
}
#endif
