// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The offer of a passkey after a sign-in with a password.
public struct PasskeyView<Row: View>: View {
    private let model: PasskeyModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: PasskeyModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension PasskeyView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: PasskeyModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    PasskeyView(PasskeyModel(PasskeyScreen(account: "ada@example.com")) { _ in .created })
}
#endif
