// SPDX-License-Identifier: Apache-2.0
import LatchAuth

let store: KeychainTokenStore = placeholder()
