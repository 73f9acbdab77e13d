// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The password reset: the address, the wait for the email, and the new password after its link has opened the app.
public struct PasswordResetView<Row: View>: View {
    private let model: PasswordResetModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: PasswordResetModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The form, which also takes the links that open the app.
    public var body: some View {
        ScreenForm(model, row: row)
            .onOpenURL { model.open($0) }
    }
}

extension PasswordResetView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: PasswordResetModel) {
        self.init(model) { _, standard in standard }
    }
}
#endif
