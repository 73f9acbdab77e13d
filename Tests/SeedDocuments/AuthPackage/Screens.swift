// SPDX-License-Identifier: Apache-2.0

// An app with the screens of AuthPackageUI, which seed 002's architecture names and its guide does not show.

#if canImport(SwiftUI)
import AuthPackage
import AuthPackageUI
import Foundation
import SwiftUI

struct GuideScreens: View {
    let auth: AuthClient
    let baseURL: URL

    var body: some View {
        AuthPackageUI.makeRoot(
            config: AuthUIConfig(
                baseURL: baseURL, appScheme: "authdemo", microsoftEnabled: true,
                cssVariables: "--authui-primary-color: #0057B8; --authui-corner-radius: 8px;"),
            client: auth
        )
        .onOpenURL { AuthUIRouter.shared.handle(url: $0) }
    }
}
#endif
