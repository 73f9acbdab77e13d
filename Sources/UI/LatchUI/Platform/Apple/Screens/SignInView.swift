// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The sign-in: name and password, then a code where the account has a second factor, or another provider.
public struct SignInView<Row: View>: View {
    private let model: SignInModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: SignInModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension SignInView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: SignInModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    SignInView(SignInModel(SignInScreen()) { _ in .signedIn })
}
#endif
