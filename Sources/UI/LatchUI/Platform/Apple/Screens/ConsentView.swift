// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The consent to what another app may do with the account.
public struct ConsentView<Row: View>: View {
    private let model: ConsentModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: ConsentModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension ConsentView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: ConsentModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    ConsentView(ConsentModel(ConsentScreen(client: "Notes", items: [])) { _ in .decided })
}
#endif
