// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The set-up of a second factor: the secret, its confirmation, and the recovery codes.
public struct SecondFactorView<Row: View>: View {
    private let model: SecondFactorModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: SecondFactorModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension SecondFactorView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: SecondFactorModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    SecondFactorView(SecondFactorModel(SecondFactorScreen()) { _ in .confirmed })
}
#endif
