// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The registration: name, address and password.
public struct RegistrationView<Row: View>: View {
    private let model: RegistrationModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: RegistrationModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension RegistrationView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: RegistrationModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    RegistrationView(RegistrationModel(RegistrationScreen()) { _ in .signedUp(email: "ada@example.com") })
}
#endif
