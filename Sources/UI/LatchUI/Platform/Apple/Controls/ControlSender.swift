// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
/// The connection of a control's view to its model.
public struct ControlSender: Sendable {
    let text: @MainActor (ControlID) -> String
    let send: @MainActor (ScreenInput) -> Void
    let pressReturn: @MainActor (ControlID) -> Void

    /// Creates the sender for a model.
    @MainActor
    public init<S: Screen>(_ model: ScreenModel<S>) {
        text = { [weak model] in model?.control($0)?.text.value ?? "" }
        send = { [weak model] in model?.send($0) }
        pressReturn = { [weak model] in model?.pressReturn(in: $0) }
    }

    /// Creates the sender for a view that keeps the text itself, such as a facade's view.
    package init(
        text: @escaping @MainActor (ControlID) -> String, send: @escaping @MainActor (ScreenInput) -> Void
    ) {
        self.text = text
        self.send = send
        pressReturn = { _ in }
    }

    /// The sender of controls without input, such as those of a banner.
    public static let none = ControlSender()

    private init() {
        text = { _ in "" }
        send = { _ in }
        pressReturn = { _ in }
    }
}
#endif
