// SPDX-License-Identifier: Apache-2.0
import Foundation

let url: URL = placeholder()
