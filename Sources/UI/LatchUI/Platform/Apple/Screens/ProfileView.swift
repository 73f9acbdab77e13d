// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
public import SwiftUI

/// The profile of the signed-in user, and the ways to what can be changed.
public struct ProfileView<Row: View>: View {
    private let model: ProfileModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: ProfileModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension ProfileView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: ProfileModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    ProfileView(ProfileModel(ProfileScreen(profile: AccountProfile(id: "1", email: "ada@example.com"))) { _ in .signedOut })
}
#endif
