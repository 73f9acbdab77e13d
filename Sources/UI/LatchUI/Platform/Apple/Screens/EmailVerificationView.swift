// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The verification of an address: the wait for the email, until its link opens the app.
public struct EmailVerificationView<Row: View>: View {
    private let model: EmailVerificationModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: EmailVerificationModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The form, which also takes the links that open the app.
    public var body: some View {
        ScreenForm(model, row: row)
            .onOpenURL { model.open($0) }
    }
}

extension EmailVerificationView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: EmailVerificationModel) {
        self.init(model) { _, standard in standard }
    }
}
#endif
