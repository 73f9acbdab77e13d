// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
public import SwiftUI

/// The editing of the names of a profile.
public struct EditProfileView<Row: View>: View {
    private let model: EditProfileModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: EditProfileModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension EditProfileView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: EditProfileModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    EditProfileView(EditProfileModel(EditProfileScreen(profile: AccountProfile(id: "1", email: "ada@example.com"))) { _ in throw ScreenFailure(.offline) })
}
#endif
