// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import LatchOAuth

let url: URL = placeholder()
let password: String = placeholder()
let secret: String = placeholder()
let endpoint: TokenEndpoint = placeholder()
let store: KeychainTokenStore = placeholder()
